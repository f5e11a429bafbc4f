import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type CommandClient, Output } from './command-client.ts';

export interface WebSocketCommandClient extends CommandClient {
  readonly ws: WebSocket;
  /** Channel and length of each message, as `1:5`. */
  readonly messages: readonly string[];
  readonly closeCode: () => number | undefined;
}

/** Connects as WebSocket clients do. With an empty protocol the header is left out. */
export const connectWebSocket = async (
  port: number,
  protocol = 'v5.channel.k8s.io',
): Promise<WebSocketCommandClient> => {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/exec`, protocol === '' ? [] : [protocol], OPTIONS);
  const isBase64 = protocol.includes('base64');
  const output = new Output();
  const messages: string[] = [];
  let closeCode: number | undefined;
  ws.on('error', () => undefined);
  ws.on('close', (code) => {
    closeCode = code;
  });
  ws.on('message', (data: Buffer, isBinary) => {
    if (isBinary === isBase64) messages.push('a message of the wrong kind');
    const channel = isBase64 ? Number(data.toString('latin1', 0, 1)) : (data[0] ?? -1);
    const payload = isBase64 ? Buffer.from(data.toString('latin1', 1), 'base64') : data.subarray(1);
    messages.push(`${channel}:${payload.length}`);
    const name = NAMES[channel];
    if (name !== undefined) output.add(name, payload);
  });
  await once(ws, 'open');
  const write = (stream: 'stdin' | 'resize', data: Uint8Array | string): boolean => {
    const channel = stream === 'stdin' ? 0 : 4;
    const message = Buffer.concat([Buffer.from([channel]), Buffer.from(data)]);
    ws.send(isBase64 ? `${channel}${Buffer.from(data).toString('base64')}` : message);
    return ws.bufferedAmount < 1_048_576;
  };
  return {
    ws,
    output,
    messages,
    closeCode: () => closeCode,
    hasEnded: () => ws.readyState !== WebSocket.OPEN,
    isGone: () => closeCode !== undefined,
    write,
    endInput: () => ws.send(Buffer.from([255, 0])),
    unsent: () => ws.bufferedAmount,
    pause: () => ws.pause(),
    resume: () => ws.resume(),
    leave: () => ws.close(),
    vanish: () => ws.terminate(),
  };
};

// A fake clock makes the server ping a thousand times at once.
const OPTIONS = { perMessageDeflate: false, maxPendingAutoPongs: 0 };

const NAMES = { 1: 'stdout', 2: 'stderr', 3: 'error' } as Readonly<Record<number, 'stdout' | 'stderr' | 'error'>>;
