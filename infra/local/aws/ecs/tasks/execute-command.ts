import * as z from 'zod/mini';
import { parseInput } from '../../parse-input.ts';
import { AwsError, invalidParameter } from '../../service-error.ts';
import { knownCluster } from '../clusters.ts';
import type { EcsContext } from '../context.ts';
import { findVisible } from './visible-tasks.ts';

const schema = z.object({
  cluster: z.optional(z.string()),
  task: z.optional(z.string()),
  container: z.optional(z.string()),
  command: z.optional(z.string()),
  interactive: z.optional(z.boolean()),
});

/** ExecuteCommand: checks as the service does, then says that no agent runs here. Always throws. */
export const executeCommand = (context: EcsContext, input: unknown): never => {
  const request = parseInput(schema, input);
  const cluster = knownCluster(context, request.cluster);
  if (!request.interactive) throw invalidParameter('Interactive is the only mode supported currently.');
  if (!request.command) throw invalidParameter('Command cannot be blank.');
  const task = findVisible(context, cluster, request.task ?? '');
  if (!task) throw invalidParameter('The referenced task was not found.');
  if (!task.enableExecuteCommand) {
    throw invalidParameter(
      'The execute command failed because execute command was not enabled when the task was run or the execute command agent isn’t running. Wait and try again or run a new task with execute command enabled and try again.',
    );
  }
  throw new AwsError(
    'TargetNotConnectedException',
    'The local ECS runs no execute command agent: commands cannot be run inside local tasks.',
  );
};
