import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type HttpHead, readHead } from './http-head.ts';

export interface WebSocketHandlers {
  /** A piece of a message; `begins` with the first of each. */
  readonly onPiece: (piece: Buffer, begins: boolean) => void;
  readonly onClose?: (code: number) => void;
}

export const OPCODES = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** The client's end of a WebSocket on a socket: for protocols whose name the `ws` client refuses, and for speed. */
export class WebSocketSocket {
  readonly io: Duplex;
  readonly #handlers: WebSocketHandlers;
  #pending: Buffer = Buffer.alloc(0);
  #frame: { readonly opcode: number; left: number; begins: boolean; body: Buffer } | undefined;

  constructor(io: Duplex, rest: Buffer, handlers: WebSocketHandlers) {
    this.io = io;
    this.#handlers = handlers;
    io.on('error', () => undefined);
    io.on('data', (chunk: Buffer) => this.#read(chunk));
    if (rest.length > 0) this.#read(rest);
  }

  /** Answers whether the socket has room for more. */
  send(payload: Uint8Array, opcode: number = OPCODES.binary, callback: () => void = () => undefined): boolean {
    return this.io.write(maskedFrame(payload, opcode), callback);
  }

  #read(chunk: Buffer): void {
    let bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#pending = Buffer.alloc(0);
    for (;;) {
      if (this.#frame === undefined) {
        const short = bytes.length < 2 ? 0 : (bytes[1] ?? 0) & 0x7f;
        const headLength = short === 126 ? 4 : short === 127 ? 10 : 2;
        if (bytes.length < headLength) {
          this.#pending = bytes;
          return;
        }
        const left = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? bytes.readUIntBE(4, 6) : short;
        this.#frame = { opcode: (bytes[0] ?? 0) & 0xf, left, begins: true, body: Buffer.alloc(0) };
        bytes = bytes.subarray(headLength);
      }
      const frame = this.#frame;
      const part = bytes.subarray(0, frame.left);
      bytes = bytes.subarray(part.length);
      frame.left -= part.length;
      if (frame.opcode >= OPCODES.close) frame.body = Buffer.concat([frame.body, part]);
      else if (part.length > 0) {
        this.#handlers.onPiece(part, frame.begins);
        frame.begins = false;
      }
      if (frame.left > 0) return;
      this.#frame = undefined;
      this.#answer(frame.opcode, frame.body);
    }
  }

  #answer(opcode: number, body: Buffer): void {
    if (opcode === OPCODES.ping) this.send(body, OPCODES.pong);
    if (opcode !== OPCODES.close) return;
    this.#handlers.onClose?.(body.length >= 2 ? body.readUInt16BE(0) : 1_005);
    this.send(body, OPCODES.close);
    this.io.end();
  }
}

/** A whole frame of a client's. `mask`: the key; with zeros the payload goes out as it is. */
export const maskedFrame = (payload: Uint8Array, opcode: number, mask = 0x5af01e33): Buffer => {
  const { length } = payload;
  const extra = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const frame = Buffer.allocUnsafe(6 + extra + length);
  frame[0] = 0x80 + opcode;
  frame[1] = 0x80 + (extra === 0 ? length : extra === 2 ? 126 : 127);
  if (extra === 2) frame.writeUInt16BE(length, 2);
  if (extra === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.writeUInt32BE(mask, 2 + extra);
  frame.set(payload, 6 + extra);
  if (mask === 0) return frame;
  for (let at = 0; at < length; at += 1) {
    const index = 6 + extra + at;
    frame[index] = (frame[index] ?? 0) ^ (frame[2 + extra + (at & 3)] ?? 0);
  }
  return frame;
};

/** Asks for an upgrade to WebSocket with these sub-protocols. */
export const upgradeToWebSocket = (socket: Socket, path: string, protocols: string): Promise<HttpHead> => {
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: node.example',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version: 13',
    ...(protocols === '' ? [] : [`Sec-WebSocket-Protocol: ${protocols}`]),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return readHead(socket);
};
