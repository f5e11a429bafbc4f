import { createHash } from 'node:crypto';

/**
 * One binary message of Session Manager's data channel, without its digest and its lengths, which follow from the rest.
 * Numbers are big-endian on the wire.
 */
export interface AgentMessage {
  /** {@link MessageType}, or whatever a newer peer may send. At most 32 characters of ASCII. */
  readonly type: string;
  readonly schemaVersion: number;
  /** Milliseconds since the epoch; never 0. */
  readonly createdAt: number;
  /** Counts the data messages of one end from 0. */
  readonly sequenceNumber: number;
  /** Bit 0 SYN, bit 1 FIN. */
  readonly flags: number;
  /** A UUID as text. */
  readonly id: string;
  readonly payloadType: number;
  readonly payload: Uint8Array;
}

export const MessageType = {
  input: 'input_stream_data',
  output: 'output_stream_data',
  acknowledge: 'acknowledge',
  channelClosed: 'channel_closed',
  startPublication: 'start_publication',
  pausePublication: 'pause_publication',
} as const;

export const PayloadType = {
  output: 1,
  size: 3,
  handshakeRequest: 5,
  handshakeResponse: 6,
  handshakeComplete: 7,
  encryptionChallengeRequest: 8,
  encryptionChallengeResponse: 9,
  stdErr: 11,
  exitCode: 12,
} as const;

/** Up to the payload type; the length of the payload itself is not counted in. */
const HEADER_LENGTH = 116;
const PAYLOAD_AT = HEADER_LENGTH + 4;
const TYPE_AT = 4;
const TYPE_BYTES = 32;
const SCHEMA_AT = 36;
const CREATED_AT = 40;
const SEQUENCE_AT = 48;
const FLAGS_AT = 56;
const ID_AT = 64;
const DIGEST_AT = 80;
const DIGEST_BYTES = 32;
const PAYLOAD_TYPE_AT = 112;
const PAYLOAD_LENGTH_AT = 116;

/** The bytes of a message; equal messages give equal bytes. */
export const encodeAgentMessage = (message: AgentMessage): Buffer => {
  const { payload } = message;
  const bytes = Buffer.alloc(PAYLOAD_AT + payload.length);
  bytes.writeUInt32BE(HEADER_LENGTH, 0);
  bytes.write(message.type.padEnd(TYPE_BYTES, ' '), TYPE_AT, TYPE_BYTES, 'latin1');
  bytes.writeUInt32BE(message.schemaVersion, SCHEMA_AT);
  bytes.writeBigUInt64BE(BigInt(message.createdAt), CREATED_AT);
  bytes.writeBigInt64BE(BigInt(message.sequenceNumber), SEQUENCE_AT);
  bytes.writeBigUInt64BE(BigInt(message.flags), FLAGS_AT);
  writeId(bytes, message.id);
  digestOf(payload).copy(bytes, DIGEST_AT);
  bytes.writeUInt32BE(message.payloadType, PAYLOAD_TYPE_AT);
  bytes.writeUInt32BE(payload.length, PAYLOAD_LENGTH_AT);
  bytes.set(payload, PAYLOAD_AT);
  return bytes;
};

/**
 * Reads a message. Undefined for bytes that are none, and for a payload that its digest or its length denies: a sender
 * that gets no acknowledgement sends again. The payload is a view of `bytes`.
 */
export const decodeAgentMessage = (bytes: Buffer): AgentMessage | undefined => {
  if (bytes.length < PAYLOAD_AT) return undefined;
  const start = bytes.readUInt32BE(0) + 4;
  if (start < PAYLOAD_AT || start > bytes.length) return undefined;
  const payload = bytes.subarray(start);
  const createdAt = safeNumber(bytes.readBigUInt64BE(CREATED_AT));
  const sequenceNumber = safeNumber(bytes.readBigInt64BE(SEQUENCE_AT));
  const flags = safeNumber(bytes.readBigUInt64BE(FLAGS_AT));
  const type = bytes.toString('latin1', TYPE_AT, TYPE_AT + TYPE_BYTES).replace(/^[ \0]+|[ \0]+$/g, '');
  if (type === '' || createdAt === undefined || sequenceNumber === undefined || flags === undefined) return undefined;
  // The service's own messages are taken without validation, as the official client does.
  if (type !== MessageType.pausePublication && type !== MessageType.startPublication) {
    if (createdAt === 0 || payload.length !== bytes.readUInt32BE(PAYLOAD_LENGTH_AT)) return undefined;
    if (payload.length > 0 && !bytes.subarray(DIGEST_AT, DIGEST_AT + DIGEST_BYTES).equals(digestOf(payload)))
      return undefined;
  }
  return {
    type,
    schemaVersion: bytes.readUInt32BE(SCHEMA_AT),
    createdAt,
    sequenceNumber,
    flags,
    id: readId(bytes),
    payloadType: bytes.readUInt32BE(PAYLOAD_TYPE_AT),
    payload,
  };
};

const digestOf = (payload: Uint8Array): Buffer => createHash('sha256').update(payload).digest();

const safeNumber = (value: bigint): number | undefined =>
  value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : undefined;

/** The second half of a UUID comes first. */
const writeId = (bytes: Buffer, id: string): void => {
  const hex = id.replaceAll('-', '');
  bytes.write(hex.slice(16) + hex.slice(0, 16), ID_AT, 16, 'hex');
};

const readId = (bytes: Buffer): string => {
  const hex = bytes.toString('hex', ID_AT + 8, ID_AT + 16) + bytes.toString('hex', ID_AT, ID_AT + 8);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};
