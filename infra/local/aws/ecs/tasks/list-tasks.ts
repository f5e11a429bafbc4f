import * as z from 'zod/mini';
import { pageOf } from '../../paging.ts';
import { parseInput } from '../../parse-input.ts';
import { invalidParameter } from '../../service-error.ts';
import { knownCluster } from '../clusters.ts';
import type { EcsContext } from '../context.ts';
import { isVisible } from './visible-tasks.ts';

const schema = z.object({
  cluster: z.optional(z.string()),
  containerInstance: z.optional(z.string()),
  family: z.optional(z.string()),
  serviceName: z.optional(z.string()),
  startedBy: z.optional(z.string()),
  desiredStatus: z.optional(z.string()),
  launchType: z.optional(z.string()),
  maxResults: z.optional(z.int()),
  nextToken: z.optional(z.string()),
});

/** ListTasks: RUNNING unless another desired status is asked for; `startedBy` must be the only filter. */
export const listTasks = (context: EcsContext, input: unknown): unknown => {
  const request = parseInput(schema, input);
  const cluster = knownCluster(context, request.cluster);
  const { desiredStatus = 'RUNNING', startedBy, family, launchType, maxResults = 100, nextToken } = request;
  if (
    startedBy !== undefined &&
    (family ?? request.serviceName ?? request.containerInstance ?? launchType) !== undefined
  ) {
    throw invalidParameter('startedBy must be the only filter: it cannot be combined with other filters.');
  }
  if (!['RUNNING', 'PENDING', 'STOPPED'].includes(desiredStatus)) {
    throw invalidParameter(`Invalid desiredStatus '${desiredStatus}'.`);
  }
  if (maxResults < 1 || maxResults > 100) throw invalidParameter('maxResults must be between 1 and 100.');
  const nothing = request.containerInstance ?? request.serviceName ?? (launchType === 'EC2' ? launchType : undefined);
  const arns = context.tasks
    .all()
    .filter(
      (task) =>
        nothing === undefined &&
        task.clusterArn === cluster.arn &&
        task.desiredStatus === desiredStatus &&
        (startedBy === undefined || task.startedBy === startedBy) &&
        (family === undefined || task.definition.family === family) &&
        isVisible(context, task),
    )
    .map(({ arn }) => arn);
  const page = pageOf(arns, nextToken, maxResults);
  if (!page) throw invalidParameter('Invalid token.');
  return { taskArns: page.items, ...(page.nextToken !== undefined && { nextToken: page.nextToken }) };
};
