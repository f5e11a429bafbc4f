import type { Duplex } from 'node:stream';
import type { RemoteStreams } from '../ports/remote-streams.ts';
import type { KubeletRequest, KubeletResponse } from './http.ts';
import type { SessionSubject } from './session-audit.ts';

/**
 * What shall happen on a connection once it is upgraded. The kubelet API says what, the server carries the bytes: every
 * check that can refuse the caller is behind us.
 */
export type KubeletUpgrade = RemoteCommandUpgrade | PortForwardUpgrade;

/** `exec` and `attach`. */
export interface RemoteCommandUpgrade {
  readonly kind: 'remote-command';
  readonly subject: SessionSubject;
  readonly options: RemoteCommandOptions;
  /** Resolves to the exit code once all output was taken; 0 for what has none. Rejects as the provider does. */
  readonly run: (streams: RemoteStreams, signal: AbortSignal) => Promise<number>;
}

/** `port-forward`: each forwarded connection is dialled by itself. */
export interface PortForwardUpgrade {
  readonly kind: 'port-forward';
  readonly subject: SessionSubject;
  readonly dial: (port: number, signal: AbortSignal) => Promise<Duplex>;
}

/** Which streams the caller asks for. With a terminal there is no stderr. */
export interface RemoteCommandOptions {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** As KubeletHandler, of a mount whose connections can be upgraded: answers an upgrade only to a request that asks for one. */
export type UpgradeHandler = (request: KubeletRequest) => Promise<KubeletResponse | KubeletUpgrade>;

/** True for SPDY and WebSocket; other protocols (`h2c`) are an offer that HTTP/1.1 may ignore. */
export const asksToUpgrade = ({ headers }: Pick<KubeletRequest, 'headers'>): boolean =>
  wordsOf(headers['connection']).includes('upgrade') &&
  wordsOf(headers['upgrade']).some((word) => word === 'websocket' || word === 'spdy/3.1');

const wordsOf = (header = ''): readonly string[] => header.split(',').map((word) => word.trim().toLowerCase());
