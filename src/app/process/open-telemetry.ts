import type { TraceMeans } from '../../adapters/telemetry/traces.ts';
import type { Telemetry, TraceOptions } from '../../ports/metrics.ts';
import { NO_METRICS } from '../no-metrics.ts';

export interface TelemetryOptions {
  /** Whether figures are kept: somebody may ask for them. */
  readonly isMeasured: boolean;
  readonly trace: TraceOptions;
  /** Set for every trace; nobody else may. */
  readonly node: { readonly operatingSystem: string; readonly provider: string; readonly nodeName: string };
}

/**
 * What a process tells about itself. What is off is not even loaded.
 * @throws {PermanentError} where OTEL_EXPORTER_OTLP_ENDPOINT is no URL.
 */
export const openTelemetry = async (
  { isMeasured, trace, node }: TelemetryOptions,
  means: TraceMeans,
): Promise<Telemetry> => {
  const [figures, traces] = await Promise.all([
    isMeasured ? openFigures(means.clock) : NO_FIGURES,
    trace.exporters.length > 0 ? openTraces({ ...trace, tags: { ...trace.tags, ...node } }, means) : undefined,
  ]);
  return {
    ...figures,
    ...(traces && { tracer: traces.tracer }),
    close: () => traces?.close() ?? Promise.resolve(),
  };
};

type Figures = Pick<Telemetry, 'metrics' | 'serve' | 'expose'>;

const NO_FIGURES: Figures = {
  metrics: NO_METRICS,
  serve: () => Promise.reject(new Error('no figures are kept')),
};

const openFigures = async (clock: TraceMeans['clock']): Promise<Figures> => {
  const [{ PrometheusMetrics }, { startTelemetryServer }] = await Promise.all([
    import('../../adapters/telemetry/prometheus-metrics.ts'),
    import('../../adapters/telemetry/telemetry-server.ts'),
  ]);
  const metrics = new PrometheusMetrics(clock);
  const expose = metrics.expose.bind(metrics);
  return {
    metrics,
    expose: async () => (await expose()).text,
    serve: (address, isReady) => startTelemetryServer(address, { isReady, expose }),
  };
};

const openTraces = async (
  options: TraceOptions,
  means: TraceMeans,
): Promise<{ readonly tracer: NonNullable<Telemetry['tracer']>; close(): Promise<void> }> => {
  const traces = await import('../../adapters/telemetry/traces.ts');
  return traces.openTraces(options, means);
};
