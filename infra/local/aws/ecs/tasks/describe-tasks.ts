import * as z from 'zod/mini';
import { parseInput } from '../../parse-input.ts';
import { invalidParameter } from '../../service-error.ts';
import { knownCluster } from '../clusters.ts';
import type { EcsContext } from '../context.ts';
import { taskAnswer } from './task-answer.ts';
import { findVisible } from './visible-tasks.ts';

const schema = z.object({
  cluster: z.optional(z.string()),
  tasks: z.optional(z.array(z.string())),
  include: z.optional(z.array(z.string())),
});

/** DescribeTasks: at most 100; what is unknown, not yet visible or an hour past its end is a failure MISSING. */
export const describeTasks = (context: EcsContext, input: unknown): unknown => {
  const { cluster: name, tasks: names = [], include = [] } = parseInput(schema, input);
  const cluster = knownCluster(context, name);
  if (names.length === 0) throw invalidParameter('Tasks cannot be empty.');
  if (names.length > 100) throw invalidParameter('Tasks cannot exceed 100 elements.');
  const found = names.map((task) => ({ task, record: findVisible(context, cluster, task) }));
  return {
    tasks: found.flatMap(({ record }) => (record ? [taskAnswer(context, record, include.includes('TAGS'))] : [])),
    failures: found.flatMap(({ task, record }) =>
      record
        ? []
        : [{ arn: task.startsWith('arn:') ? task : context.arns.task(cluster.name, task), reason: 'MISSING' }],
    ),
  };
};
