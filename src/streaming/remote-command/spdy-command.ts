import type { RemoteCommandOptions, StreamDeps, StreamLimits, UpgradeRequest } from '../session.ts';
import { acceptSpdy } from '../spdy/accept-spdy.ts';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';
import { Traffic } from '../traffic.ts';
import { whenAborted } from '../when-aborted.ts';
import type { CommandTransport } from './command-session.ts';

/** Version 5 is a WebSocket's alone: it adds the half-close that SPDY has anyway. */
const VERSIONS: Readonly<Record<string, number>> = {
  'v4.channel.k8s.io': 4,
  'v3.channel.k8s.io': 3,
  'v2.channel.k8s.io': 2,
  'channel.k8s.io': 1,
};

const COUNTED = new Set(['stdin', 'stdout', 'stderr']);

/**
 * Upgrades to SPDY and waits until the client has opened all streams of its command. Undefined where the upgrade was
 * refused, the client left, or it took longer than the limit: then the connection is closed.
 */
export const acceptSpdyCommand = async (
  upgrade: UpgradeRequest,
  options: RemoteCommandOptions,
  limits: StreamLimits,
  { clock, closing }: StreamDeps,
): Promise<CommandTransport | undefined> => {
  const protocol = acceptSpdy(upgrade, Object.keys(VERSIONS));
  if (protocol === undefined) return undefined;
  const version = VERSIONS[protocol] ?? 1;
  const missing = new Set(streamsOf(options, version));
  const streams = new Map<string, SpdyStream>();
  const complete = new AbortController();
  const traffic = new Traffic(clock);
  const connection = new SpdyConnection(upgrade.socket, upgrade.head, {
    clock,
    resetsGivenUp: false,
    // As Go's end reads it: a program that waits for more input would never end.
    endsByReset: ({ headers: { streamtype } }) => streamtype === 'stdin',
    accept: ({ streamtype = '' }) => missing.delete(streamtype),
    onStream: (stream) => {
      streams.set(stream.headers['streamtype'] ?? '', stream);
      if (missing.size === 0) complete.abort();
    },
    onData: ({ headers: { streamtype = '' } }, bytesIn, bytesOut) =>
      COUNTED.has(streamtype) ? traffic.moved(bytesIn, bytesOut) : traffic.moved(0, 0),
  });
  const settled = AbortSignal.any([complete.signal, connection.signal]);
  whenAborted(closing, () => connection.close(), settled);
  await clock.sleep(limits.creationTimeoutMs, settled).catch(() => undefined);
  const error = streams.get('error');
  if (!complete.signal.aborted || connection.signal.aborted || error === undefined) {
    connection.close();
    return undefined;
  }
  return {
    connection,
    streams: {
      error,
      stdin: streams.get('stdin'),
      stdout: streams.get('stdout'),
      stderr: streams.get('stderr'),
      resize: streams.get('resize'),
    },
    traffic,
    transport: 'spdy',
    protocol,
    version,
  };
};

const streamsOf = ({ stdin, stdout, stderr, tty }: RemoteCommandOptions, version: number): readonly string[] => [
  'error',
  ...(stdin ? ['stdin'] : []),
  ...(stdout ? ['stdout'] : []),
  ...(stderr ? ['stderr'] : []),
  // Terminals change their size from version 3 on.
  ...(tty && version >= 3 ? ['resize'] : []),
];
