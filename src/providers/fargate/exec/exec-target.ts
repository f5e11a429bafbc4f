import type { Clock } from '../../../core/clock.ts';
import { InvalidError, NotFoundError, TransientError } from '../../../core/errors.ts';
import type { EcsTask } from '../tasks/ecs-task.ts';
import type { TaskReader } from '../tasks/task-reader.ts';

/** Just started, an agent takes some seconds to come up. */
const AGENT_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 1000;
const AGENT = 'ExecuteCommandAgent';

/**
 * Answers the runtime id of the container once the agent in it can take a command; undefined where ECS shows none.
 * @throws {NotFoundError} the task or the container does not run. @throws {InvalidError} nothing can be executed in it,
 * with the reason. @throws {TransientError} the agent is not up yet.
 */
export const requireAgent = async (
  { tasks, clock }: { readonly tasks: TaskReader; readonly clock: Clock },
  { workloadId, container }: { readonly workloadId: string; readonly container: string },
  signal: AbortSignal,
): Promise<string | undefined> => {
  const giveUpAt = clock.now() + AGENT_WITHIN_MS;
  for (;;) {
    const task = await tasks.get(workloadId, signal);
    if (agentStatus(task, container) !== 'PENDING')
      return task?.containers?.find(({ name }) => name === container)?.runtimeId;
    if (clock.now() >= giveUpAt)
      throw new TransientError(`the exec agent in container "${container}" is still starting: try again`);
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
};

const agentStatus = (task: EcsTask | undefined, name: string): string | undefined => {
  if (task === undefined || task.lastStatus === 'STOPPED')
    throw new NotFoundError('the task of the pod does not run any more');
  const container = task.containers?.find((one) => one.name === name);
  if (container === undefined) throw new NotFoundError(`container "${name}" is not in the running task of the pod`);
  if (container.lastStatus !== 'RUNNING')
    throw new NotFoundError(
      `container "${name}" is ${container.lastStatus === 'STOPPED' ? 'stopped' : 'not running yet'}`,
    );
  if (task.enableExecuteCommand !== true) throw new InvalidError(NOT_ENABLED);
  const agent = container.managedAgents?.find((one) => one.name === AGENT);
  if (agent?.lastStatus !== 'STOPPED') return agent?.lastStatus;
  throw new InvalidError(
    `the exec agent in container "${name}" does not run${agent.reason ? ` (${agent.reason})` : ''}: ${CHECKS}`,
  );
};

const NOT_ENABLED =
  'exec is off for this pod: its task was started without execute-command, because of the annotation svk.dev/exec: "false", or because there was no task role; that is decided at the start, so the pod has to be made anew';

/** What keeps an agent from coming up, or from being reached. */
export const CHECKS =
  'check that the task role allows ssmmessages:CreateControlChannel, CreateDataChannel, OpenControlChannel and OpenDataChannel, that the subnets reach the endpoint of ssmmessages (NAT, or a VPC endpoint), and that readOnlyRootFilesystem is not set';
