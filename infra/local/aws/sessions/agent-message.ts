import { createHash } from 'node:crypto';

/**
 * One binary message of a Session Manager data channel (`message/clientmessage.go` of aws/session-manager-plugin). All
 * numbers are big-endian; the payload begins four bytes after the header's end.
 */
export interface AgentMessage {
  readonly type: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly sequenceNumber: number;
  readonly flags: number;
  /** A UUID. */
  readonly id: string;
  readonly payloadType: number;
  readonly payload: Uint8Array;
}

/** What a payload holds; acknowledgements and the service's own messages have 0. */
export const payloadTypes = {
  none: 0,
  output: 1,
  size: 3,
  handshakeRequest: 5,
  handshakeResponse: 6,
  handshakeComplete: 7,
  challengeRequest: 8,
  challengeResponse: 9,
  flag: 10,
} as const;

/** The first data message of an agent carries SYN; acknowledgements and what the service says carry SYN and FIN. */
export const flags = { none: 0, syn: 1, synFin: 3 } as const;

const headerLength = 116;
const payloadAt = headerLength + 4;
const typeBytes = 32;

/** The message on the wire, with the digest of its payload. */
export const toFrame = (message: AgentMessage): Buffer => {
  const frame = Buffer.alloc(payloadAt + message.payload.length);
  frame.writeUInt32BE(headerLength, 0);
  frame.write(message.type.padEnd(typeBytes), 4, 'latin1');
  frame.writeUInt32BE(1, 36);
  frame.writeBigUInt64BE(BigInt(message.createdAt), 40);
  frame.writeBigInt64BE(BigInt(message.sequenceNumber), 48);
  frame.writeBigUInt64BE(BigInt(message.flags), 56);
  const id = Buffer.from(message.id.replaceAll('-', ''), 'hex');
  // The halves of the id are swapped on the wire.
  frame.set(id.subarray(8), 64);
  frame.set(id.subarray(0, 8), 72);
  frame.set(createHash('sha256').update(message.payload).digest(), 80);
  frame.writeUInt32BE(message.payloadType, 112);
  frame.writeUInt32BE(message.payload.length, 116);
  frame.set(message.payload, payloadAt);
  return frame;
};

/** Undefined for what is no message. The digest is not looked at, as the agent does not. */
export const fromFrame = (frame: Buffer): AgentMessage | undefined => {
  if (frame.length < payloadAt || frame.readUInt32BE(0) !== headerLength) return undefined;
  const length = frame.readUInt32BE(116);
  if (payloadAt + length !== frame.length) return undefined;
  const sequenceNumber = Number(frame.readBigInt64BE(48));
  if (!Number.isSafeInteger(sequenceNumber) || sequenceNumber < 0) return undefined;
  const id = Buffer.concat([frame.subarray(72, 80), frame.subarray(64, 72)]).toString('hex');
  return {
    type: frame.toString('latin1', 4, 4 + typeBytes).replace(/[\0 ]+$/, ''),
    createdAt: Number(frame.readBigUInt64BE(40)),
    sequenceNumber,
    flags: Number(frame.readBigUInt64BE(56)),
    id: id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    payloadType: frame.readUInt32BE(112),
    payload: frame.subarray(payloadAt),
  };
};
