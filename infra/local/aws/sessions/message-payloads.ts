import * as z from 'zod/mini';
import { bytesOf, parsedJson, textOf } from './json-payload.ts';

/** The first frame of a client, a text. */
export interface OpenDataChannel {
  readonly token: string;
  readonly clientId: string;
}

const openDataChannel = z.object({
  MessageSchemaVersion: z.literal('1.0'),
  RequestId: z.uuid(),
  TokenValue: z.string(),
  ClientId: z.uuid(),
  ClientVersion: z.string().check(z.regex(/^\d+(\.\d+){3}$/)),
});

/** Undefined for what is no such frame. */
export const parseOpenDataChannel = (text: string): OpenDataChannel | undefined => {
  const parsed = z.safeParse(openDataChannel, parsedJson(text));
  return parsed.success ? { token: parsed.data.TokenValue, clientId: parsed.data.ClientId } : undefined;
};

const acknowledgement = z.object({
  AcknowledgedMessageType: z.string(),
  AcknowledgedMessageId: z.string(),
  AcknowledgedMessageSequenceNumber: z.int(),
});

/** The sequence number of the output that is acknowledged; undefined for anything else. */
export const parseAcknowledgement = (payload: Uint8Array): number | undefined => {
  const parsed = z.safeParse(acknowledgement, parsedJson(textOf(payload)));
  return parsed.success && parsed.data.AcknowledgedMessageType === 'output_stream_data'
    ? parsed.data.AcknowledgedMessageSequenceNumber
    : undefined;
};

export const acknowledgementOf = (type: string, id: string, sequenceNumber: number): Uint8Array =>
  bytesOf({
    AcknowledgedMessageType: type,
    AcknowledgedMessageId: id,
    AcknowledgedMessageSequenceNumber: sequenceNumber,
    IsSequentialMessage: true,
  });

const uint32 = z.int().check(z.gte(0), z.lte(0xffffffff));
const terminalSize = z.object({ cols: uint32, rows: uint32 });

/** Undefined for what is no size. */
export const parseSize = (payload: Uint8Array): { readonly cols: number; readonly rows: number } | undefined => {
  const parsed = z.safeParse(terminalSize, parsedJson(textOf(payload)));
  return parsed.success ? parsed.data : undefined;
};

interface ChannelClosed {
  readonly messageId: string;
  readonly target: string;
  readonly sessionId: string;
  readonly at: number;
  readonly output: string;
}

/** What the service says when a session is over; `output` is why, or empty. */
export const channelClosedOf = ({ messageId, target, sessionId, at, output }: ChannelClosed): Uint8Array =>
  bytesOf({
    MessageType: 'channel_closed',
    MessageId: messageId,
    DestinationId: target,
    SessionId: sessionId,
    SchemaVersion: 1,
    CreatedDate: new Date(at).toISOString(),
    Output: output,
  });
