import * as z from 'zod/mini';
import type { Workload } from '../../../model/workload.ts';
import { parseTask } from './ecs-task.ts';
import { identityOf } from './task-identity.ts';
import { taskToWorkload } from './task-to-workload.ts';

const stateChange = z.looseObject({
  source: z.literal('aws.ecs'),
  'detail-type': z.literal('ECS Task State Change'),
  detail: z.looseObject({}),
});

/**
 * Reads an EventBridge event of our cluster's tasks; undefined for other events, other clusters' tasks and tasks we did
 * not start. Pod UIDs are unique for ever, so that the pod's row decides whether anybody waits for it.
 */
export const workloadOfEvent = (event: unknown, clusterArn: string): Workload | undefined => {
  const parsed = stateChange.safeParse(event);
  const task = parsed.success ? parseTask(withoutEmpty(parsed.data.detail)) : undefined;
  if (!task || task.clusterArn !== clusterArn || !identityOf(task.startedBy, task.group)) return undefined;
  return taskToWorkload(task);
};

/** The rule's input transformer leaves an empty text where the event had no such member. */
const withoutEmpty = (detail: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== ''));
