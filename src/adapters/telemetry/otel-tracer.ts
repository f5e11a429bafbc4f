import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { SpanStart, Tracer } from '../../ports/tracer.ts';
import { redactText } from './redact.ts';

/** Spans of OpenTelemetry. Which span is in progress is kept here, not in OpenTelemetry's globals. */
export class OtelSpans implements Tracer {
  readonly #tracer: OtelTracer;
  readonly #clock: { now(): number };
  readonly #current = new AsyncLocalStorage<Context>();

  constructor(tracer: OtelTracer, clock: { now(): number }) {
    this.#tracer = tracer;
    this.#clock = clock;
  }

  async span<T>({ name, kind, attributes, startedMsAgo = 0 }: SpanStart, work: () => Promise<T>): Promise<T> {
    const parent = this.#current.getStore() ?? ROOT_CONTEXT;
    const options = {
      kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
      startTime: this.#clock.now() - startedMsAgo,
      ...(attributes && { attributes }),
    };
    const span = this.#tracer.startSpan(name, options, parent);
    try {
      return await this.#current.run(trace.setSpan(parent, span), work);
    } catch (error) {
      markFailed(span, error);
      throw error;
    } finally {
      span.end(this.#clock.now());
    }
  }
}

const markFailed = (span: Span, error: unknown): void => {
  const { name, message } = error instanceof Error ? error : { name: typeof error, message: String(error) };
  span.setAttribute('error.type', name);
  span.setStatus({ code: SpanStatusCode.ERROR, message: redactText(message) });
};
