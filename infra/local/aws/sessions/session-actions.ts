import * as z from 'zod/mini';
import { parseInput } from '../parse-input.ts';
import { AwsError } from '../service-error.ts';
import type { SsmContext } from '../ssm/context.ts';

const schema = z.object({ SessionId: z.optional(z.string()) });

/** ResumeSession: the old stream with a new token. */
export const resumeSession = ({ sessions }: SsmContext, input: unknown): unknown => {
  const { SessionId = '' } = parseInput(schema, input);
  const ticket = sessions.resume(SessionId);
  if (!ticket) throw new AwsError('DoesNotExistException', `Session ${SessionId} does not exist.`);
  return { SessionId, StreamUrl: ticket.streamUrl, TokenValue: ticket.tokenValue };
};

/** TerminateSession: ending one that is over changes nothing. */
export const terminateSession = ({ sessions }: SsmContext, input: unknown): unknown => {
  const { SessionId = '' } = parseInput(schema, input);
  sessions.terminate(SessionId);
  return { SessionId };
};
