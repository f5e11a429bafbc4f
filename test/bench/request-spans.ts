import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

/** One request of this process, from its start to the head of its answer, in milliseconds of the process. */
export interface RequestSpan {
  /** `host:port` it went to. */
  readonly host: string;
  readonly start: number;
  readonly end: number;
}

/** Every HTTP request this process makes, by Node's own channels. */
export const recordSpans = (): { readonly spans: RequestSpan[]; stop(): void } => {
  const spans: RequestSpan[] = [];
  const starts = new WeakMap<object, number>();
  const onStart = (message: unknown): void => {
    starts.set((message as { request: ClientRequest }).request, performance.now());
  };
  const onFinish = (message: unknown): void => {
    const { request } = message as { request: ClientRequest };
    const start = starts.get(request);
    if (start === undefined) return;
    spans.push({ host: String(request.getHeader('host')), start, end: performance.now() });
  };
  subscribe('http.client.request.start', onStart);
  subscribe('http.client.response.finish', onFinish);
  return {
    spans,
    stop: () => {
      unsubscribe('http.client.request.start', onStart);
      unsubscribe('http.client.response.finish', onFinish);
    },
  };
};

/**
 * The longest chain of requests of which each began after the one before had ended, each taking `latencyMs`: what an
 * invocation waits for where its requests take that long. Requests that merely happened to follow one another count as a
 * chain, too, so it is never too short.
 */
export const longestChainMs = <Span extends RequestSpan>(
  spans: readonly Span[],
  latencyMs: (span: Span) => number,
): number => {
  const ends: { readonly end: number; readonly ms: number }[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const before = Math.max(0, ...ends.filter(({ end }) => end <= span.start).map(({ ms }) => ms));
    ends.push({ end: span.end, ms: before + latencyMs(span) });
  }
  return Math.max(0, ...ends.map(({ ms }) => ms));
};
