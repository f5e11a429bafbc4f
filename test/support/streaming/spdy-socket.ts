import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HeaderDeflater, uint32 } from './header-deflater.ts';
import { type HttpHead, readHead } from './http-head.ts';

export interface SpdySocketHandlers {
  /** A piece of a data frame. */
  readonly onData?: (streamId: number, piece: Buffer) => void;
  /** `fin 3`, `reset 3 5`, `reply 3`, `ping 2`, `goaway 0`. */
  readonly onEvent?: (words: string) => void;
}

/** The client's end of SPDY/3.1 as kubectl speaks it, on a socket: written apart from the server's codec. */
export class SpdySocket {
  readonly io: Duplex;
  readonly #handlers: SpdySocketHandlers;
  readonly #headers = new HeaderDeflater();
  #lastId = -1;
  #opening: Promise<unknown> = Promise.resolve();
  #head = Buffer.alloc(0);
  #frame: { readonly first: number; readonly flags: number; left: number; body: Buffer } | undefined;

  constructor(io: Duplex, rest: Buffer, handlers: SpdySocketHandlers) {
    this.io = io;
    this.#handlers = handlers;
    io.on('error', () => undefined);
    io.on('data', (chunk: Buffer) => this.#read(chunk));
    if (rest.length > 0) this.#read(rest);
  }

  /** Opens the next stream; answers its id. One after the other: their headers are one compressed stream. */
  open(headers: Readonly<Record<string, string>>, flags = 0): Promise<number> {
    const opened = this.#opening.then(() => this.#open(headers, flags));
    this.#opening = opened;
    return opened;
  }

  async #open(headers: Readonly<Record<string, string>>, flags: number): Promise<number> {
    const id = (this.#lastId += 2);
    const body = Buffer.concat([uint32(id), uint32(0), Buffer.alloc(2), await this.#headers.block(headers)]);
    this.io.write(Buffer.concat([control(1, flags, body.length), body]));
    return id;
  }

  /** Calls back when the socket has taken it. */
  send(id: number, data: Uint8Array, fin = false, callback: () => void = () => undefined): boolean {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(id, 0);
    head.writeUIntBE(data.length, 5, 3);
    head[4] = fin ? 1 : 0;
    this.io.cork();
    this.io.write(head);
    const more = this.io.write(data, callback);
    this.io.uncork();
    return more;
  }

  reset(id: number): void {
    this.io.write(Buffer.concat([control(3, 0, 8), uint32(id), uint32(5)]));
  }

  ping(id: number): void {
    this.io.write(Buffer.concat([control(6, 0, 4), uint32(id)]));
  }

  #read(chunk: Buffer): void {
    let bytes = chunk;
    for (;;) {
      if (this.#frame === undefined) {
        const wanted = 8 - this.#head.length;
        this.#head = Buffer.concat([this.#head, bytes.subarray(0, wanted)]);
        bytes = bytes.subarray(wanted);
        if (this.#head.length < 8) return;
        const [first, flags, left] = [this.#head.readUInt32BE(0), this.#head.readUInt8(4), this.#head.readUIntBE(5, 3)];
        this.#frame = { first, flags, left, body: Buffer.alloc(0) };
        this.#head = Buffer.alloc(0);
      }
      const frame = this.#frame;
      const part = bytes.subarray(0, frame.left);
      bytes = bytes.subarray(part.length);
      frame.left -= part.length;
      if (frame.first >= 0x80000000) frame.body = Buffer.concat([frame.body, part]);
      else if (part.length > 0) this.#handlers.onData?.(frame.first, part);
      if (frame.left > 0) return;
      this.#frame = undefined;
      this.#tell(frame);
    }
  }

  #tell({ first, flags, body }: { readonly first: number; readonly flags: number; readonly body: Buffer }): void {
    if (first < 0x80000000) {
      if (flags === 1) this.#handlers.onEvent?.(`fin ${first}`);
      return;
    }
    const type = first & 0xffff;
    const id = body.readUInt32BE(0);
    if (type === 6 && id % 2 === 0) this.ping(id);
    this.#handlers.onEvent?.(type === 3 ? `reset ${id} ${body.readUInt32BE(4)}` : `${NAMES[type] ?? type} ${id}`);
  }
}

const NAMES: Readonly<Record<number, string>> = { 2: 'reply', 6: 'ping', 7: 'goaway' };

/** Asks for an upgrade as kubectl does: a POST, the protocols as headers of their own. */
export const upgradeToSpdy = async (socket: Socket, path: string, protocols: readonly string[]): Promise<HttpHead> => {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: node.example',
    'Connection: Upgrade',
    'Upgrade: SPDY/3.1',
    'Content-Length: 0',
    ...protocols.map((protocol) => `X-Stream-Protocol-Version: ${protocol}`),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return readHead(socket);
};

const control = (type: number, flags: number, length: number): Buffer => {
  const head = Buffer.from([0x80, 3, 0, type, flags, 0, 0, 0]);
  head.writeUIntBE(length, 5, 3);
  return head;
};
