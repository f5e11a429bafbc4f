import { webSocketHeaders } from '../../support/streaming/upgrade-in-memory.ts';
import { maskedFrame, OPCODES } from '../../support/streaming/websocket-socket.ts';
import { KUBECTL_PORT_FORWARD } from '../../unit/streaming/spdy/recordings.ts';
import type { FuzzTarget } from '../fuzz.ts';
import type { Conversation } from '../mutate.ts';
import { command, forward, sessionTarget } from './session-target.ts';

const binary = (...payload: readonly (number | string | Buffer)[]): Buffer =>
  maskedFrame(
    Buffer.concat(payload.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part)))),
    OPCODES.binary,
  );
const text = (payload: string): Buffer => maskedFrame(Buffer.from(payload), OPCODES.text);
const PING = maskedFrame(Buffer.from('ping'), OPCODES.ping);
const PONG = maskedFrame(Buffer.alloc(0), OPCODES.pong);
const CLOSE = maskedFrame(Buffer.from([0x03, 0xe8]), OPCODES.close);

/** Frames of one message: all but the last say that more follows. */
const fragments = (...parts: readonly Buffer[]): readonly Buffer[] =>
  parts.map((part, index) => {
    const frame = maskedFrame(part, index === 0 ? OPCODES.binary : 0);
    if (index < parts.length - 1) frame[0] = (frame[0] ?? 0) & 0x7f;
    return frame;
  });

const CHANNELS: readonly Conversation[] = [
  [
    binary(4, '{"Width":101,"Height":31}\n'),
    binary(0, 'hello\n'),
    PING,
    binary(4, '{"Width":133,"Height":40}\n'),
    binary(0, Buffer.alloc(40_000, 'x')),
    binary(255, 0),
    CLOSE,
  ],
  [
    binary(0, 'ls\n'),
    PONG,
    ...fragments(Buffer.from('\0in pieces '), Buffer.from('of a '), Buffer.from('message')),
    CLOSE,
  ],
  [text('\0text'), binary(1, 'x'), binary(3, '{}'), binary(9), binary(), binary(255, 4), binary(255)],
];

const BASE64: readonly Conversation[] = [
  [text('4eyJXaWR0aCI6MSwiSGVpZ2h0IjoxfQ=='), text('0aGVsbG8K'), PING, text('0*not base64*'), text(''), CLOSE],
];

const TUNNEL: readonly Conversation[] = [
  [binary(KUBECTL_PORT_FORWARD), PING, CLOSE],
  [binary(KUBECTL_PORT_FORWARD.subarray(0, 60)), binary(KUBECTL_PORT_FORWARD.subarray(60)), binary(), text('x')],
];

const PORTS: readonly Conversation[] = [
  [binary(0, 'GET / HTTP/1.1\r\n\r\n'), binary(2, 'x'), PING, binary(1, 'x'), CLOSE],
];

const METHOD = { method: 'GET' } as const;

export const WEBSOCKET_TARGETS: readonly FuzzTarget[] = [
  sessionTarget({
    ...METHOD,
    name: 'websocket-exec',
    headers: webSocketHeaders('v5.channel.k8s.io'),
    corpus: CHANNELS,
    accept: command(true),
  }),
  sessionTarget({
    ...METHOD,
    name: 'websocket-base64',
    headers: webSocketHeaders('v4.base64.channel.k8s.io'),
    corpus: BASE64,
    accept: command(true),
  }),
  sessionTarget({
    ...METHOD,
    name: 'websocket-tunnel',
    headers: webSocketHeaders('SPDY/3.1+portforward.k8s.io'),
    corpus: TUNNEL,
    accept: forward,
  }),
  sessionTarget({
    ...METHOD,
    name: 'websocket-ports',
    url: '/portForward/ns/pod?port=80,81',
    headers: webSocketHeaders('v4.channel.k8s.io'),
    corpus: PORTS,
    accept: forward,
  }),
];
