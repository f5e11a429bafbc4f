import type { Readable, Writable } from 'node:stream';
import type { TerminalSize } from '../core/terminal-size.ts';

/**
 * The caller's ends of a remote command. What the caller did not ask for is absent; with a terminal there is no stderr.
 * Whoever made them ends them: a provider writes to the end, waits until that is taken, and settles its promise.
 */
export interface RemoteStreams {
  /** Ends where the caller's input ends (half-close). What nobody reads is dropped once the command is over. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly stderr?: Writable;
  /** Sizes of the caller's terminal as they change, the first at once; ends with the session. Empty without a terminal. */
  readonly sizes: AsyncIterable<TerminalSize>;
}

/** What encrypts one session. */
export interface RemoteDataKey {
  /** Secret. */
  readonly plaintext: Uint8Array;
  /** For the agent. */
  readonly ciphertext: Uint8Array;
}

/** What a caller needs to open the stream of a session by itself, without credentials of the provider. */
export interface RemoteSession {
  readonly sessionId: string;
  /** Signed for this one use. Secret. */
  readonly streamUrl: string;
  /** Secret. */
  readonly tokenValue: string;
  /** How the command was wrapped, so that the client can read exit code and streams out of the bytes; provider's own words. */
  readonly framing: string;
}
