import type { Tracer } from './tracer.ts';

/**
 * Figures of this process for its operator. A name is registered once; asking again under the same name answers the same
 * instrument. Names and units follow Prometheus' conventions: base units, `_total`, `_seconds`.
 */
export interface MetricsRegistry {
  /** Only grows. */
  counter<L extends string = never>(definition: MetricDefinition<L>): Counter<L>;
  /** Goes up and down. */
  gauge<L extends string = never>(definition: MetricDefinition<L>): Gauge<L>;
  /** Observations sorted into buckets by upper bound. */
  histogram<L extends string = never>(definition: HistogramDefinition<L>): Histogram<L>;
}

export interface MetricDefinition<L extends string> {
  readonly name: string;
  /** One sentence for `# HELP`. */
  readonly help: string;
  /** Names of the labels; every measurement gives each of them a value from a small set. */
  readonly labels?: readonly L[];
}

export interface HistogramDefinition<L extends string> extends MetricDefinition<L> {
  /** Upper bounds in ascending order, in the unit of `name`; the last one, infinity, is implied. */
  readonly buckets: readonly number[];
}

export type LabelValues<L extends string> = Readonly<Record<L, string>>;

export interface Counter<L extends string> {
  /** Adds `by` (1 where left out; never negative). */
  add(labels: LabelValues<L>, by?: number): void;
}

export interface Gauge<L extends string> {
  set(labels: LabelValues<L>, value: number): void;
  /** Reads the value whenever somebody asks for it, instead of `set`. */
  read(labels: LabelValues<L>, value: () => number): void;
}

export interface Histogram<L extends string> {
  observe(labels: LabelValues<L>, value: number): void;
}

/** What a process tells its operator about itself. */
export interface Telemetry {
  readonly metrics: MetricsRegistry;
  /** Absent: traces are off, and nothing is done for them. */
  readonly tracer?: Tracer;
  /** The figures in Prometheus' text format 0.0.4. Absent: none are kept. */
  readonly expose?: () => Promise<string>;
  /**
   * Answers at `--metrics-addr`: `/metrics`, `/healthz` (it answers) and `/readyz` (the node is Ready and its pods are
   * worked on). `port` 0 takes a free one. @throws where the port is taken.
   */
  serve(address: ListenAddress, isReady: () => boolean): Promise<TelemetryServer>;
  /** Sends what is still to be sent, and ends. */
  close(): Promise<void>;
}

export interface TelemetryServer {
  readonly port: number;
  close(): Promise<void>;
}

/** `host` empty: every address of the machine. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** How traces are wanted, as the command line says it. */
export interface TraceOptions {
  /** `otlp`, `console`; none: traces are off. */
  readonly exporters: readonly string[];
  readonly serviceName: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Share of traces that are kept, from 0 to 1; undefined: the exporter's default. */
  readonly sampleRatio?: number;
}
