import { KUBECTL_EXEC, KUBECTL_PORT_FORWARD } from '../../unit/streaming/spdy/recordings.ts';
import type { FuzzTarget } from '../fuzz.ts';
import type { Conversation } from '../mutate.ts';
import { command, forward, sessionTarget } from './session-target.ts';

/** A recording cut into its frames, by their lengths. */
const framesOf = (recording: Buffer): Conversation => {
  const frames: Buffer[] = [];
  for (let at = 0; at < recording.length; ) {
    const end = at + 8 + recording.readUIntBE(at + 5, 3);
    frames.push(recording.subarray(at, end));
    at = end;
  }
  return frames;
};

const frame = (hex: string): Buffer => Buffer.from(hex, 'hex');
const PING = frame('800300060000000400000001');
const data = (id: number, length: number, fin = 0): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(id, 0);
  head[4] = fin;
  head.writeUIntBE(length, 5, 3);
  return Buffer.concat([head, Buffer.alloc(length, 'd')]);
};

const exec = framesOf(KUBECTL_EXEC);
const EXEC: readonly Conversation[] = [
  exec,
  [...exec.slice(0, 4), PING, data(3, 3), data(3, 20_000), PING, data(3, 0, 1)],
  [...exec.slice(0, 4), frame('800300040000000c000000010000000400000064'), frame('80030009000000080000000300010000')],
];

const portForward = framesOf(KUBECTL_PORT_FORWARD);
const PORT_FORWARD: readonly Conversation[] = [
  portForward,
  [...portForward.slice(0, 3), PING, data(3, 9_000), data(3, 1), frame('80030003000000080000000300000005')],
];

const named = (...protocols: readonly string[]) => ({
  connection: 'Upgrade',
  upgrade: 'SPDY/3.1',
  'x-stream-protocol-version': protocols.join(','),
});

export const SPDY_TARGETS: readonly FuzzTarget[] = [
  sessionTarget({
    name: 'spdy-exec',
    method: 'POST',
    headers: named('v5.channel.k8s.io', 'v4.channel.k8s.io'),
    corpus: EXEC,
    accept: command(false),
  }),
  sessionTarget({
    name: 'spdy-port-forward',
    method: 'POST',
    headers: named('portforward.k8s.io'),
    corpus: PORT_FORWARD,
    accept: forward,
  }),
];
