import * as z from 'zod/mini';
import { parseInput } from '../../parse-input.ts';
import { invalidParameter } from '../../service-error.ts';
import { knownCluster } from '../clusters.ts';
import type { EcsContext } from '../context.ts';
import { taskAnswer } from './task-answer.ts';
import { findVisible } from './visible-tasks.ts';

const schema = z.object({
  cluster: z.optional(z.string()),
  task: z.optional(z.string()),
  reason: z.optional(z.string()),
});

/** StopTask: stopping a stopping or stopped task changes nothing; the task's tags are deleted. */
export const stopTask = (context: EcsContext, input: unknown): unknown => {
  const { cluster: name, task: arnOrId = '', reason } = parseInput(schema, input);
  const cluster = knownCluster(context, name);
  if (arnOrId === '') throw invalidParameter('Task cannot be blank.');
  if (reason !== undefined && reason.length > 1024)
    throw invalidParameter('The reason must be at most 1024 characters.');
  const task = findVisible(context, cluster, arnOrId);
  if (!task) throw invalidParameter('The referenced task was not found.');
  context.tasks.amend(task.arn, { tags: [] });
  context.agents.stop(task.arn, { code: 'UserInitiated', reason: reason || 'Task stopped by user' });
  return { task: taskAnswer(context, context.tasks.get(task.arn), false) };
};
