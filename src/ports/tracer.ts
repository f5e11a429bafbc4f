/** Tells where the time of a piece of work went, as spans that lie within each other. */
export interface Tracer {
  /**
   * Runs `work` in a span, which lies in the span that this is called from. A rejection marks the span as failed and is
   * passed on.
   */
  span<T>(start: SpanStart, work: () => Promise<T>): Promise<T>;
}

export interface SpanStart {
  /** From a small set: what differs from call to call is an attribute. */
  readonly name: string;
  /** `client` for a call to somebody else; `internal` where it is left out. */
  readonly kind?: 'internal' | 'client';
  /** Named by OpenTelemetry's conventions where they have a name. Never secret. */
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** For work that began before, in milliseconds. */
  readonly startedMsAgo?: number;
}
