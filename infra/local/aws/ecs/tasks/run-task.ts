import { parseInput } from '../../parse-input.ts';
import { clientError, invalidParameter, throttled } from '../../service-error.ts';
import { knownCluster } from '../clusters.ts';
import type { EcsContext } from '../context.ts';
import type { TaskDefinition } from '../definitions/definition.ts';
import { toTags } from '../tags.ts';
import { newTask } from './new-task.ts';
import { applyOverrides } from './overrides.ts';
import { placementOf, refusalOf } from './placement.ts';
import { checkRequest, runTaskSchema } from './run-task-request.ts';
import { taskAnswer } from './task-answer.ts';
import type { TaskRecord } from './task-record.ts';

/** RunTask: starts up to 10 tasks, or answers 200 with `failures[]`. */
export const runTask = (context: EcsContext, input: unknown): unknown => {
  const request = parseInput(runTaskSchema, input);
  checkRequest(request);
  const cluster = knownCluster(context, request.cluster);
  const { clientToken, ...rest } = request;
  const earlier = clientToken && context.tokens.replay(cluster.name, clientToken, rest);
  if (earlier) return { tasks: earlier.map((task) => replayed(context, task)), failures: [] };

  const placement = placementOf(request, cluster);
  const definition = runnable(context, request.taskDefinition);
  if (
    context.faults.take('throttle', ({ dressed, action }) => dressed === true && (action ?? 'RunTask') === 'RunTask')
  ) {
    const [subnet] = placement.subnets;
    throw invalidParameter(
      `Error retrieving subnet information for [${subnet}]: Rate exceeded (ErrorCode: Throttling)`,
    );
  }
  const sized = applyOverrides(definition, request.overrides ?? {});
  const roleArn = request.overrides?.taskRoleArn ?? definition.input.taskRoleArn;
  if (request.enableExecuteCommand && !roleArn) {
    throw invalidParameter(
      "The task couldn't be run because a valid taskRoleArn is not being used. Specify a valid task role in your task definition and try again.",
    );
  }
  const tags = toTags(request.tags);
  const bucket = placement.spot ? 'fargate-spot-launch' : 'fargate-launch';
  const count = request.count ?? 1;
  if (!context.throttles.allows(bucket, count)) throw throttled();

  const tasks: TaskRecord[] = [];
  const failures: unknown[] = [];
  for (let index = 0; index < count; index += 1) {
    const refusal = refusalOf(context, placement, sized.cpu);
    if (refusal) {
      failures.push({ reason: refusal });
      continue;
    }
    const inherited = request.propagateTags === 'TASK_DEFINITION' ? definition.tags : [];
    tasks.push(newTask(context, { request, cluster, definition, placement, sized, tags: [...inherited, ...tags] }));
  }
  if (clientToken && tasks.length > 0) {
    context.tokens.remember(
      cluster.name,
      clientToken,
      rest,
      tasks.map(({ arn }) => arn),
    );
  }
  for (const task of tasks) {
    context.tasks.add(task);
    context.agents.start(task.arn);
  }
  return { tasks: tasks.map((task) => taskAnswer(context, task, true)), failures };
};

/** A retry for a task that has stopped is told only this much. */
const replayed = (context: EcsContext, task: TaskRecord): unknown =>
  task.lastStatus === 'STOPPED'
    ? { taskArn: task.arn, lastStatus: task.lastStatus, desiredStatus: task.desiredStatus }
    : taskAnswer(context, task, true);

const runnable = (context: EcsContext, name: string | undefined): TaskDefinition => {
  if (!name) throw clientError('TaskDefinition can not be blank.');
  const definition = context.definitions.find(name);
  if (!definition) throw clientError('TaskDefinition not found.');
  if (definition.status !== 'ACTIVE') throw clientError('TaskDefinition is inactive');
  return definition;
};
