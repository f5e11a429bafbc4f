import * as z from 'zod/mini';
import { parseInput } from '../../parse-input.ts';
import { AwsError, invalidParameter } from '../../service-error.ts';
import { knownCluster } from '../clusters.ts';
import type { EcsContext } from '../context.ts';
import type { ContainerRecord, TaskRecord } from './task-record.ts';
import { findVisible } from './visible-tasks.ts';

const schema = z.object({
  cluster: z.optional(z.string()),
  task: z.optional(z.string()),
  container: z.optional(z.string()),
  command: z.optional(z.string()),
  interactive: z.optional(z.boolean()),
});

/** ExecuteCommand: the agent starts the command at once, whether or not a client ever connects to the session. */
export const executeCommand = (context: EcsContext, input: unknown): unknown => {
  const request = parseInput(schema, input);
  const cluster = knownCluster(context, request.cluster);
  if (!request.interactive) throw invalidParameter('Interactive is the only mode supported currently.');
  const { command } = request;
  if (!command) throw invalidParameter('Command cannot be blank.');
  const task = findVisible(context, cluster, request.task ?? '');
  if (!task) throw invalidParameter('The referenced task was not found.');
  if (!task.enableExecuteCommand) {
    throw invalidParameter(
      'The execute command failed because execute command was not enabled when the task was run or the execute command agent isn’t running. Wait and try again or run a new task with execute command enabled and try again.',
    );
  }
  const container = containerOf(task, request.container);
  const openTerminal = context.agents.view(task.arn, container.name)?.openTerminal;
  if (container.execAgent?.lastStatus !== 'RUNNING' || !openTerminal) {
    throw new AwsError(
      'TargetNotConnectedException',
      'The execute command failed due to an internal error. Try again later.',
    );
  }
  const session = context.sessions.start({
    command,
    target: `ecs:${task.clusterName}_${task.id}_${container.runtimeId ?? ''}`,
    openTerminal,
    kmsKeyId: cluster.configuration.executeCommandConfiguration?.kmsKeyId,
  });
  return {
    clusterArn: cluster.arn,
    containerArn: container.arn,
    containerName: container.name,
    interactive: true,
    session,
    taskArn: task.arn,
  };
};

const containerOf = ({ containers }: TaskRecord, name: string | undefined): ContainerRecord => {
  const asked = containers.filter(({ image }) => image !== undefined);
  const [only] = asked;
  if (name === undefined && asked.length === 1 && only) return only;
  if (!name) throw invalidParameter('The container name is required for a task with more than one container.');
  const named = asked.find((container) => container.name === name);
  if (!named) throw invalidParameter(`The container ${name} was not found in the task.`);
  return named;
};
