/** A connection that carries a session's streams, as the session sees it. */
export interface StreamConnection {
  /** Aborts when the connection is gone; the reason says why. */
  readonly signal: AbortSignal;
  /** When anything, be it a ping's answer, last came from the client: milliseconds since the epoch. */
  readonly heardAt: number;
  /** Shows the client, and whatever stands between, that somebody is here. */
  ping(): void;
  /** Says that no more follows what was written, and leaves it to the client to hang up. */
  conclude(): void;
  /** Hangs up after what was written is gone, or after a few seconds. */
  close(): void;
  /** Hangs up at once. */
  destroy(error?: Error): void;
}
