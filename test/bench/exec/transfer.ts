import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type BenchTransport, connect, MESSAGE_BYTES } from './client.ts';

export type Direction = 'out' | 'in';

export interface TransferWish {
  readonly port: number;
  readonly isTls: boolean;
  readonly bytes: number;
  /** Called with what has been carried, now and then. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

/** Carries so many bytes through a session; answers MB (10^6 bytes) a second, from the first to the result. */
export const transfer = async (
  transport: BenchTransport,
  direction: Direction,
  wish: TransferWish,
): Promise<number> => {
  const { bytes, port, isTls, onProgress } = wish;
  let carried = 0;
  const ended = Promise.withResolvers<void>();
  const began = performance.now();
  const session = await transport.open(
    { port, isTls, query: `${direction}&bytes=${bytes}` },
    (count) => onProgress?.((carried += count)),
    ended.resolve,
  );
  if (direction === 'in') {
    for (; carried < bytes; carried += MESSAGE_BYTES) {
      if (!session.send()) await once(session.io, 'drain');
      onProgress?.(carried);
    }
    session.endInput();
  }
  await ended.promise;
  session.io.destroy();
  return megabytesASecond(bytes, began);
};

/** The same without any protocol. */
export const barePipe = async (direction: Direction, { port, bytes }: TransferWish): Promise<number> => {
  const socket = await connect(port, false);
  const began = performance.now();
  const ended = once(socket, 'end');
  socket.resume();
  socket.write(`${direction[0]}${bytes}`);
  if (direction === 'in') await pour(socket, bytes);
  await ended;
  socket.destroy();
  return megabytesASecond(bytes, began);
};

const pour = async (socket: Socket, bytes: number): Promise<void> => {
  const message = Buffer.alloc(MESSAGE_BYTES, 'y');
  for (let sent = 0; sent < bytes; sent += MESSAGE_BYTES) if (!socket.write(message)) await once(socket, 'drain');
  socket.end();
};

const megabytesASecond = (bytes: number, began: number): number => bytes / 1_000 / (performance.now() - began);
