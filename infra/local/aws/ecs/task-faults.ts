import type { TaskFault } from '../faults/fault-model.ts';
import { invalidParameter } from '../service-error.ts';
import type { EcsContext } from './context.ts';
import { retirementNotice } from './task-event.ts';

/** Makes what AWS does to a running task happen. @throws {AwsError} where it cannot happen to this task. */
export const strikeTask = (context: EcsContext, fault: TaskFault): void => {
  const task = context.tasks.find(fault.taskArn);
  if (!task || task.lastStatus === 'STOPPED') throw invalidParameter(`No live task ${fault.taskArn}.`);
  switch (fault.kind) {
    case 'spot-interruption':
      if (task.capacityProvider !== 'FARGATE_SPOT') throw invalidParameter(`${task.arn} is not a Spot task.`);
      context.agents.stop(task.arn, { code: 'SpotInterruption', reason: 'Your Spot Task was interrupted.' });
      return;
    case 'retirement': {
      const retire = (): void =>
        context.agents.stop(task.arn, {
          code: 'InfrastructureHealth',
          reason: 'ECS is performing maintenance on the underlying infrastructure hosting the task.',
        });
      if (fault.noticeSeconds === undefined) return retire();
      const { clock, random, accountId: account, region } = context;
      const at = clock.now();
      const noticeMs = fault.noticeSeconds * 1000;
      context.events.publish(retirementNotice(task, at + noticeMs, { id: random.uuid(), account, region, at }));
      context.timers.after(noticeMs, retire);
      return;
    }
    default:
      fault satisfies never;
  }
};
