import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import type { RunningCloud } from './local-cloud.ts';

/** How many tasks of the local cloud's ECS cluster are meant to run. */
export const liveTasksOf = async (cloud: RunningCloud): Promise<number> => {
  const ecs = new ECSClient({
    endpoint: `http://127.0.0.1:${cloud.ports.aws}`,
    region: 'eu-west-1',
    credentials: cloud.credentials,
  });
  const { taskArns = [] } = await ecs.send(new ListTasksCommand({ cluster: 'svk-dev', desiredStatus: 'RUNNING' }));
  ecs.destroy();
  return taskArns.length;
};
