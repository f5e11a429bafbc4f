import type { Duplex } from 'node:stream';
import type { DialPort, SessionFigures, StreamLimits } from '../session.ts';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import { Traffic } from '../traffic.ts';
import { carryConnection } from './carry-connection.ts';
import { ForwardPairs } from './forward-pairs.ts';
import type { ForwardTransport } from './forward-session.ts';
import type { PortForwardDeps } from './port-forward-deps.ts';

/** Of SPDY, be it on a socket of its own or in a tunnel. */
export const SPDY_PORT_FORWARD = 'portforward.k8s.io';

/** Forwards connections over SPDY on `io`, which was upgraded; `head` was read from it already. */
export const forwardOverSpdy = (
  {
    io,
    head,
    ...named
  }: { readonly io: Duplex; readonly head: Buffer } & Pick<SessionFigures, 'transport' | 'protocol'>,
  dial: DialPort,
  limits: StreamLimits,
  { clock, onRefused }: PortForwardDeps,
): ForwardTransport => {
  const traffic = new Traffic(clock);
  const pairs = new ForwardPairs(
    clock,
    limits.creationTimeoutMs,
    (pair) => void carryConnection(pair, { dial, onRefused, hasEnds: true }),
  );
  const connection = new SpdyConnection(io, head, {
    clock,
    accept: (headers, id) => pairs.accepts(headers, id),
    onStream: (stream) => {
      traffic.moved(0, 0);
      pairs.add(stream);
    },
    onData: ({ headers: { streamtype } }, bytesIn, bytesOut) => {
      if (streamtype === 'data') traffic.moved(bytesIn, bytesOut);
    },
  });
  return { connection, traffic, ...named };
};
