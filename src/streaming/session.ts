import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import type { TerminalSize } from '../core/terminal-size.ts';

/** What Node's HTTP server hands over with its `upgrade` event. */
export interface UpgradeRequest {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Bounds of a session, all in milliseconds. */
export interface StreamLimits {
  /** A session that carries nothing for so long is ended; kubelet: 4 hours. 0: never. */
  readonly idleTimeoutMs: number;
  /** The client must have opened its streams by then; kubelet: 30 s. */
  readonly creationTimeoutMs: number;
}

export interface StreamDeps {
  readonly clock: Clock;
  /** Aborts when the server closes: the session's client is told and hung up on. */
  readonly closing: AbortSignal;
}

export interface RemoteCommandOptions {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** How a session ended, told to the client: an exit code (0 to 255; 128 + n for a signal), or why there is none. */
export type RemoteCommandResult = { readonly exitCode: number } | { readonly message: string };

/** Counts for the audit line. */
export interface SessionFigures {
  readonly transport: 'spdy' | 'websocket';
  /** Negotiated sub-protocol, as `v5.channel.k8s.io`. */
  readonly protocol: string;
  /** Payload bytes from the client and to it. */
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** An accepted exec or attach, whatever transport carries it. */
export interface RemoteCommandSession {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly stderr?: Writable | undefined;
  readonly sizes: AsyncIterable<TerminalSize>;
  /** Aborts when the client has gone, the session was idle for too long, or the server closes. */
  readonly signal: AbortSignal;
  /** Figures up to now. */
  figures(): SessionFigures;
  /**
   * Ends the output, tells the result, and waits until the client has hung up (bounded): a connection that is closed at
   * once loses output at a slow reader, and kubectl then reports success. Call it once.
   */
  finish(result: RemoteCommandResult): Promise<void>;
}

/** An accepted port-forward: it dials and carries by itself. */
export interface PortForwardSession {
  /** Aborts when it is over, whoever ended it; the reason says why. */
  readonly signal: AbortSignal;
  /** Resolves when `signal` aborts. */
  readonly ended: Promise<void>;
  /** Figures up to now; bytes of forwarded connections alone. */
  figures(): SessionFigures;
  /** Hangs up. */
  close(): void;
}

/**
 * Opens the target of one forwarded connection. A rejection with `TransientError` (nobody listens) resets that one
 * connection; any other is told to the client, which ends the whole forward.
 */
export type DialPort = (port: number, signal: AbortSignal) => Promise<Duplex>;
