import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { PermanentError } from '../../core/errors.ts';
import type { Logger } from '../../ports/logger.ts';
import type { TraceOptions } from '../../ports/metrics.ts';
import type { Tracer } from '../../ports/tracer.ts';
import { OtelSpans } from './otel-tracer.ts';
import { otlpTracesUrl } from './otlp-endpoint.ts';
import { reportingExporter } from './reporting-exporter.ts';

/**
 * For a batch with its retries, of which the first comes after a second. A collector that does not answer costs a process
 * that ends no more than this.
 */
const SEND_MS = 2_000;
const SCOPE = 'serverless-virtual-kubelet';

export interface TraceMeans {
  readonly clock: { now(): number };
  readonly logger: Logger;
  /** For OpenTelemetry's variables of the endpoint. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface Traces {
  readonly tracer: Tracer;
  /** Sends what is still to be sent, and ends. Never rejects. */
  close(): Promise<void>;
}

/**
 * Sends spans to every exporter of `options`. `tags` are attributes of the resource, as virtual-kubelet's are.
 * @throws {PermanentError} where the endpoint is no URL.
 */
export const openTraces = (options: TraceOptions, { clock, logger, environment }: TraceMeans): Traces => {
  const { exporters, serviceName, tags, sampleRatio } = options;
  let isEnding = false;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...tags, 'service.name': serviceName }),
    // Without a rate the SDK's default holds, which OTEL_TRACES_SAMPLER changes.
    ...(sampleRatio !== undefined && {
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    }),
    spanProcessors: exporters.map(
      (name) =>
        new BatchSpanProcessor({
          exporter: reportingExporter(exporterOf(name, environment), name, { logger, isEnding: () => isEnding }),
          exportTimeoutMillis: SEND_MS,
        }),
    ),
  });
  return {
    tracer: new OtelSpans(provider.getTracer(SCOPE), clock),
    close: async () => {
      isEnding = true;
      try {
        await provider.shutdown();
      } catch (error) {
        logger.warn('the last traces were not sent', { error });
      }
    },
  };
};

const exporterOf = (name: string, environment: TraceMeans['environment']): SpanExporter => {
  if (name === 'console') return new ConsoleSpanExporter();
  if (name !== 'otlp') throw new PermanentError(`trace exporter must be otlp or console, not "${name}"`);
  const url = otlpTracesUrl(environment);
  return new OTLPTraceExporter({ timeoutMillis: SEND_MS, ...(url !== undefined && { url }) });
};
