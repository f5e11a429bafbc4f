import net from 'node:net';
import { SpdySocket, upgradeToSpdy } from '../../../support/streaming/spdy-socket.ts';
import { type CommandClient, Output, type StreamName } from './command-client.ts';

export interface SpdyCommandClient extends CommandClient {
  /** All but data, as `SpdySocket` tells it, with the streams' names for their ids. */
  readonly events: readonly string[];
  readonly spdy: SpdySocket;
}

/** Connects as kubectl does with SPDY, and opens `streams` in this order. */
export const connectSpdy = async (
  port: number,
  { streams = ['error', 'stdin', 'stdout', 'stderr'], protocols = ['v4.channel.k8s.io'] }: Partial<SpdyWish> = {},
): Promise<SpdyCommandClient> => {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  const { status, rest } = await upgradeToSpdy(socket, '/exec', protocols);
  if (status !== 101) throw new Error(`not upgraded: ${status}`);
  const output = new Output();
  const names = new Map<number, string>();
  const events: string[] = [];
  const nameOf = (id: number): string => names.get(id) ?? String(id);
  const spdy = new SpdySocket(socket, rest, {
    onData: (id, piece) => output.add(nameOf(id) as StreamName, piece),
    onEvent: (words) => {
      const [what = '', id = '', ...more] = words.split(' ');
      const isOfStream = what !== 'ping' && what !== 'goaway';
      events.push([what, isOfStream ? nameOf(Number(id)) : id, ...more].join(' '));
    },
  });
  socket.resume();
  for (const [index, streamtype] of streams.entries()) {
    names.set(index * 2 + 1, streamtype);
    await spdy.open({ streamtype });
  }
  const idOf = (name: string): number => [...names].find(([, own]) => own === name)?.[0] ?? 0;
  return {
    output,
    events,
    spdy,
    hasEnded: () => events.includes('fin error'),
    isGone: () => socket.destroyed || socket.readableEnded,
    write: (stream, data) => spdy.send(idOf(stream), Buffer.from(data)),
    endInput: () => void spdy.send(idOf('stdin'), Buffer.alloc(0), true),
    unsent: () => socket.writableLength,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    leave: () => socket.end(),
    vanish: () => socket.destroy(),
  };
};

export interface SpdyWish {
  readonly streams: readonly string[];
  readonly protocols: readonly string[];
}
