import { ExecuteCommandCommand, type Session } from '@aws-sdk/client-ecs';
import { noDelays } from '../../../infra/local/aws/delays.ts';
import type { EmulatorOptions } from '../../../infra/local/aws/emulator.ts';
import { ProcessRuntime } from '../../../infra/local/runtimes/process/process-runtime.ts';
import { FastClock } from '../../support/fast-clock.ts';
import { waitFor } from '../../support/local-cloud.ts';
import { container, startWorld, type World } from './harness.ts';

export const taskRoleArn = 'arn:aws:iam::123456789012:role/exec';

export interface ExecWorld extends World {
  /** The ARN of a running task with one container `app` that ends on SIGTERM; its agent is up. */
  readonly taskArn: string;
  readonly exec: (command: string) => Promise<Session>;
}

/** A running task of local processes with execute command enabled, five times as fast as real ones. */
export const startExecWorld = async (options: Partial<EmulatorOptions> = {}): Promise<ExecWorld> => {
  const world = await startWorld({
    runtime: new ProcessRuntime(),
    clock: new FastClock(5),
    delays: noDelays,
    ...options,
  });
  await world.register({
    taskRoleArn,
    containerDefinitions: [
      container({
        entryPoint: ['sleep'],
        command: ['600'],
        workingDirectory: '/srv',
        environment: [{ name: 'GREETING', value: 'good day' }],
      }),
    ],
  });
  const taskArn = await world.run({ enableExecuteCommand: true });
  await waitFor(async () => (await world.task(taskArn)).containers?.[0]?.managedAgents?.[0]?.lastStatus === 'RUNNING', {
    withinMs: 15_000,
    what: 'the execute command agent',
  });
  return {
    ...world,
    taskArn,
    exec: async (command) => {
      const { session } = await world.ecs.send(
        new ExecuteCommandCommand({ cluster: 'pods', task: taskArn, command, interactive: true }),
      );
      if (!session) throw new Error('no session was answered');
      return session;
    },
  };
};
