import type { RunTaskCommandInput } from '@aws-sdk/client-ecs';
import * as z from 'zod/mini';
import { PermanentError } from '../../../core/errors.ts';
import type { LaunchRequest, LaunchToken } from '../../../model/launch.ts';
import type { RunInput } from '../prepare/prepared.ts';
import { clientTokenOf, groupOf, startedByOf } from '../tasks/task-identity.ts';

/** RunTask's input as a stored intent: the same for every request under one token, byte for byte. */
export const runTaskRequest = (
  run: RunInput,
  token: LaunchToken,
  names: { readonly clusterArn: string; readonly clusterHash: string; readonly taskDefinition: string },
): LaunchRequest => {
  const input: RunTaskCommandInput = {
    cluster: names.clusterArn,
    taskDefinition: names.taskDefinition,
    count: 1,
    clientToken: clientTokenOf(token),
    startedBy: startedByOf(names.clusterHash, token.podUid),
    group: groupOf(token),
    ...run,
  };
  return { body: JSON.stringify(input) };
};

const identifying = z.looseObject({
  cluster: z.string(),
  taskDefinition: z.string(),
  clientToken: z.string(),
  startedBy: z.string(),
  group: z.string(),
});

/** What a stored request says, and the parts of it that name its task. @throws {PermanentError} where it is none of ours. */
export const readRunTaskRequest = ({
  body,
}: LaunchRequest): { readonly input: RunTaskCommandInput; readonly names: z.infer<typeof identifying> } => {
  try {
    const names = identifying.parse(JSON.parse(body));
    return { input: names, names };
  } catch (error) {
    throw new PermanentError('the stored launch request is no RunTask input', { cause: error });
  }
};
