import * as z from 'zod/mini';
import { type AgentMessage, MessageType } from './agent-message.ts';

const content = z.looseObject({
  AcknowledgedMessageType: z._default(z.string(), ''),
  AcknowledgedMessageSequenceNumber: z.number(),
});

/** The payload that acknowledges `message`, as the official ends write it. */
export const acknowledgementOf = ({ type, id, sequenceNumber }: AgentMessage): Buffer =>
  Buffer.from(
    JSON.stringify({
      AcknowledgedMessageType: type,
      AcknowledgedMessageId: id,
      AcknowledgedMessageSequenceNumber: sequenceNumber,
      IsSequentialMessage: true,
    }),
  );

/** Which of our messages this payload acknowledges; undefined where it is none of them. */
export const acknowledgedNumber = (payload: Uint8Array): number | undefined => {
  const parsed = z.safeParse(content, parseJson(payload));
  return parsed.success && parsed.data.AcknowledgedMessageType === MessageType.input
    ? parsed.data.AcknowledgedMessageSequenceNumber
    : undefined;
};

/** Undefined for anything that is no JSON. */
export const parseJson = (payload: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(payload).toString('utf8'));
  } catch {
    return undefined;
  }
};
