import type { Check } from '../check.ts';
import { type Finding, fail, pass } from '../finding.ts';

const ECS_TASKS = 'ecs-tasks.amazonaws.com';

/** Whether the ECS cluster, the log group and the execution role that every task names are there. */
export const taskResourcesCheck: Check = {
  name: 'task-resources',
  run: async (world, signal) => {
    const { ecsCluster, logGroup, executionRoleArn } = await world.stack();
    const { account, deployment } = world;
    const deploy = `npx serverless deploy --stage ${deployment} --force puts it back`;
    return [
      judgeCluster(ecsCluster, await account.ecsCluster(ecsCluster, signal), deploy),
      (await account.hasLogGroup(logGroup, signal))
        ? pass(`log group ${logGroup} is there`)
        : fail(`log group ${logGroup} is gone: no task starts`, deploy),
      judgeRole(executionRoleArn, await account.roleTrust(executionRoleArn, signal), deploy),
    ];
  },
};

const judgeCluster = (arn: string, status: string | undefined, deploy: string): Finding =>
  status === 'ACTIVE'
    ? pass(`ECS cluster ${arn.split('/').at(-1)} is ACTIVE`)
    : fail(`ECS cluster ${arn} is ${status ?? 'gone'}`, deploy);

/** `trust`: services that may take the role; undefined where there is none. */
export const judgeRole = (arn: string, trust: readonly string[] | undefined, deploy: string): Finding => {
  if (trust === undefined) return fail(`the execution role ${arn} is gone: no task starts`, deploy);
  return trust.includes(ECS_TASKS)
    ? pass('the execution role is there, for ECS tasks')
    : fail(`the execution role ${arn} does not trust ${ECS_TASKS}: no task starts`, deploy);
};
