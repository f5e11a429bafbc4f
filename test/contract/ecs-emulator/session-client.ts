import { createHash, randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';

interface Ticket {
  readonly streamUrl?: string | undefined;
  readonly tokenValue?: string | undefined;
}

/** A message as the tests look at it. */
export interface Message {
  readonly type: string;
  readonly sequence: number;
  readonly flags: number;
  readonly payloadType: number;
  readonly payload: Buffer;
  readonly id: string;
  readonly digestFits: boolean;
}

export interface SessionClient {
  /** Everything that came, repetitions included, in the order it came. */
  readonly messages: readonly Message[];
  /** The output so far, in order, without repetitions. */
  output(): string;
  /** Sends the next input and repeats it until it is acknowledged. */
  send(payload: string | Uint8Array, payloadType?: number): void;
  /** Sends an input under this number, once. */
  sendAs(sequence: number, payload: string, payloadType?: number): void;
  /** `Output` of channel_closed. */
  readonly closed: Promise<string>;
  /** The WebSocket's close code. */
  readonly gone: Promise<number>;
  leave(): void;
}

/** A minimal Session Manager client of the tests' own: acknowledges everything, also what comes again. */
export const openSession = async (
  { streamUrl = '', tokenValue = '' }: Ticket,
  { acknowledges = true }: { readonly acknowledges?: boolean } = {},
): Promise<SessionClient> => {
  const socket = new WebSocket(streamUrl);
  const messages: Message[] = [];
  const waiting = new Map<number, Buffer>();
  let next = 0;
  let close: (output: string) => void = () => {};
  const closed = new Promise<string>((resolve) => {
    close = resolve;
  });
  const gone = new Promise<number>((resolve) => void socket.on('close', resolve));
  const repeat = setInterval(() => {
    for (const frame of waiting.values()) if (socket.readyState === WebSocket.OPEN) socket.send(frame);
  }, 200);
  socket.on('close', () => clearInterval(repeat));
  socket.on('message', (data, isBinary) => {
    if (!isBinary || !Buffer.isBuffer(data)) return;
    const message = read(data);
    messages.push(message);
    if (message.type === 'channel_closed') close(String(memberOf(message, 'Output')));
    if (message.type === 'acknowledge') {
      waiting.delete(Number(memberOf(message, 'AcknowledgedMessageSequenceNumber')));
    }
    if (message.type === 'output_stream_data' && acknowledges) {
      const acknowledgement = {
        AcknowledgedMessageType: message.type,
        AcknowledgedMessageId: message.id,
        AcknowledgedMessageSequenceNumber: message.sequence,
        IsSequentialMessage: true,
      };
      socket.send(write('acknowledge', 0, 3, 0, Buffer.from(JSON.stringify(acknowledgement))));
    }
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const opening = { MessageSchemaVersion: '1.0', TokenValue: tokenValue, ClientVersion: '1.2.0.0' };
  socket.send(JSON.stringify({ ...opening, RequestId: randomUUID(), ClientId: randomUUID() }));
  return {
    messages,
    output: () => {
      const pieces = new Map<number, Buffer>();
      for (const { type, sequence, payload } of messages)
        if (type === 'output_stream_data') pieces.set(sequence, payload);
      let text = Buffer.alloc(0);
      for (let sequence = 0; pieces.has(sequence); sequence += 1) {
        text = Buffer.concat([text, pieces.get(sequence) ?? Buffer.alloc(0)]);
      }
      return text.toString('latin1');
    },
    send: (payload, payloadType = 1) => {
      const frame = write('input_stream_data', next, 0, payloadType, Buffer.from(payload));
      waiting.set(next, frame);
      next += 1;
      socket.send(frame);
    },
    sendAs: (sequence, payload, payloadType = 1) =>
      socket.send(write('input_stream_data', sequence, 0, payloadType, Buffer.from(payload))),
    closed,
    gone,
    leave: () => socket.terminate(),
  };
};

/** A member of a payload that is JSON. */
export const memberOf = ({ payload }: Message, name: string): unknown =>
  (JSON.parse(payload.toString()) as Readonly<Record<string, unknown>>)[name];

const read = (frame: Buffer): Message => {
  const payload = frame.subarray(frame.readUInt32BE(0) + 4);
  const hex = frame.toString('hex', 72, 80) + frame.toString('hex', 64, 72);
  return {
    type: frame.toString('latin1', 4, 36).trimEnd(),
    sequence: Number(frame.readBigInt64BE(48)),
    flags: Number(frame.readBigUInt64BE(56)),
    payloadType: frame.readUInt32BE(112),
    payload,
    id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    digestFits: createHash('sha256').update(payload).digest('hex') === frame.toString('hex', 80, 112),
  };
};

const write = (type: string, sequence: number, flags: number, payloadType: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(120);
  head.writeUInt32BE(116, 0);
  head.write(type.padEnd(32), 4);
  head.writeUInt32BE(1, 36);
  head.writeBigUInt64BE(BigInt(Date.now()), 40);
  head.writeBigInt64BE(BigInt(sequence), 48);
  head.writeBigUInt64BE(BigInt(flags), 56);
  Buffer.from(randomUUID().replaceAll('-', ''), 'hex').copy(head, 64);
  createHash('sha256').update(payload).digest().copy(head, 80);
  head.writeUInt32BE(payloadType, 112);
  head.writeUInt32BE(payload.length, 116);
  return Buffer.concat([head, payload]);
};
