import * as z from 'zod/mini';
import { InvalidError, NotFoundError, PermanentError, type SvkError, TransientError } from '../../../core/errors.ts';
import type { EcsApi } from '../aws/ecs-api.ts';
import { awsFaultOf, translateAwsError } from '../aws/errors.ts';
import { CHECKS } from './exec-target.ts';

const session = z.object({
  sessionId: z.string(),
  streamUrl: z.string().check(z.regex(/^wss?:\/\//)),
  tokenValue: z.string(),
});

/** A session that ECS has opened. `streamUrl` and `tokenValue` are secret. */
export type OpenedSession = z.infer<typeof session>;

/** Has ECS start a command in a container. @throws errors of core/errors that say what to check. */
export const executeCommand = async (
  { ecs, clusterArn }: { readonly ecs: EcsApi; readonly clusterArn: string },
  {
    workloadId,
    container,
    command,
  }: { readonly workloadId: string; readonly container: string; readonly command: string },
  signal: AbortSignal,
): Promise<OpenedSession> => {
  const input = { cluster: clusterArn, task: workloadId, container, command, interactive: true };
  let answer: unknown;
  try {
    answer = (await ecs.executeCommand(input, signal)).session;
  } catch (error) {
    throw refusalOf(error);
  }
  const parsed = session.safeParse(answer);
  if (!parsed.success) throw new TransientError('ECS ExecuteCommand answered without a session');
  return parsed.data;
};

const refusalOf = (error: unknown): SvkError => {
  const { name, message, kind } = awsFaultOf(error);
  const cause = { cause: error };
  if (name === 'TargetNotConnectedException')
    return new PermanentError(`the exec agent in the container is not connected: ${CHECKS}`, cause);
  if (kind === 'denied')
    return new PermanentError(
      `ECS ExecuteCommand: ${message}: allow ecs:ExecuteCommand on the cluster and its tasks`,
      cause,
    );
  if (name === 'InvalidParameterException' && /not found/i.test(message))
    return new NotFoundError(`ECS ExecuteCommand: ${message}`, cause);
  if (name === 'InvalidParameterException') return new InvalidError(`ECS ExecuteCommand: ${message}`, cause);
  return translateAwsError(error, 'ECS ExecuteCommand');
};
