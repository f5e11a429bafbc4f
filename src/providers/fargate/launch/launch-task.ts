import * as z from 'zod/mini';
import type { LaunchRequest, LaunchResult } from '../../../model/launch.ts';
import type { Workload } from '../../../model/workload.ts';
import type { EcsApi } from '../aws/ecs-api.ts';
import { awsFaultOf } from '../aws/errors.ts';
import { parseTask } from '../tasks/ecs-task.ts';
import { identityOf } from '../tasks/task-identity.ts';
import type { TaskReader } from '../tasks/task-reader.ts';
import { taskToWorkload } from '../tasks/task-to-workload.ts';
import { isDefinitionGone, refusalOfFailures, refusalOfFault } from './refusals.ts';
import { readRunTaskRequest } from './run-task-request.ts';

export interface LaunchDependencies {
  readonly ecs: EcsApi;
  readonly tasks: TaskReader;
  /** Told of a definition that ECS does not run any more. Must not reject. */
  readonly forgetDefinition: (arn: string) => Promise<void>;
}

type Names = ReturnType<typeof readRunTaskRequest>['names'];

/**
 * Sends a stored RunTask request once and says what its answer means; see {@link LaunchResult}. A token whose
 * parameters differ from an earlier request's (`ConflictException`) is answered by the task that request has made.
 */
export const launchTask = async (
  { ecs, tasks, forgetDefinition }: LaunchDependencies,
  request: LaunchRequest,
  signal: AbortSignal,
): Promise<LaunchResult> => {
  const { input, names } = readRunTaskRequest(request);
  try {
    const { tasks: started = [], failures = [] } = await ecs.runTask(input, signal);
    const [task] = started;
    if (task) return { kind: 'started', workload: await wholeWorkload(task, names, tasks, signal) };
    if (failures.length > 0) return refusalOfFailures(failures);
    return { kind: 'unknown', message: 'ECS RunTask answered with neither a task nor a failure' };
  } catch (error) {
    const fault = awsFaultOf(error);
    if (fault.kind === 'unanswered' || fault.kind === 'server')
      return { kind: 'unknown', message: `${fault.name}: ${fault.message}` };
    if (fault.name === 'ConflictException') return adopt(resourceIdsOf(error), names, tasks, signal);
    if (isDefinitionGone(fault.message)) await forgetDefinition(names.taskDefinition);
    return refusalOfFault(fault);
  }
};

/**
 * A repeated request for a task stopped since answers with little more than its ARN; the rest is asked for, and where
 * that fails the request itself says whose task it is.
 */
const wholeWorkload = async (
  task: unknown,
  names: Names,
  tasks: TaskReader,
  signal: AbortSignal,
): Promise<Workload> => {
  const parsed = parseTask(task);
  const known = { ...parsed, taskArn: parsed?.taskArn ?? '', startedBy: names.startedBy, group: names.group };
  if (parsed?.containers !== undefined && parsed.startedBy !== undefined) return taskToWorkload(known);
  try {
    const { workloads } = await tasks.describe([known.taskArn], signal);
    return workloads[0] ?? taskToWorkload(known);
  } catch {
    return taskToWorkload(known);
  }
};

const adopt = async (
  ids: readonly string[],
  names: Names,
  tasks: TaskReader,
  signal: AbortSignal,
): Promise<LaunchResult> => {
  const conflict = 'ECS RunTask: the token was used with other parameters';
  try {
    const { workloads } = await tasks.describe(ids, signal);
    const podUid = identityOf(names.startedBy, names.group)?.podUid;
    const own = workloads.find((workload) => workload.podUid !== undefined && workload.podUid === podUid);
    if (own) return { kind: 'started', workload: own };
    if (workloads.length > 0)
      return {
        kind: 'refused',
        cause: 'configuration',
        final: false,
        message: `${conflict}, for a task that is not ours`,
      };
    return { kind: 'unknown', message: `${conflict}, for a task that cannot be seen yet` };
  } catch {
    return { kind: 'unknown', message: `${conflict}, and its task could not be described` };
  }
};

const conflict = z.looseObject({ resourceIds: z._default(z.array(z.string()), []) });

const resourceIdsOf = (error: unknown): readonly string[] => {
  const parsed = conflict.safeParse(error);
  return parsed.success ? parsed.data.resourceIds : [];
};
