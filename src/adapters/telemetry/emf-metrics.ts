import type {
  Counter,
  Gauge,
  Histogram,
  HistogramDefinition,
  LabelValues,
  MetricDefinition,
  MetricsRegistry,
} from '../../ports/metrics.ts';

type Labels = LabelValues<string>;

/** CloudWatch takes no more values of one metric in a line. */
const MAX_VALUES = 100;

export interface EmfOptions {
  readonly namespace: string;
  /** Dimensions of every figure, before its own labels. */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly clock: { now(): number };
  /** One line with its end. It must reach the log as it is: Lambda's own console would wrap it. */
  readonly write: (line: string) => void;
}

/**
 * Figures as lines of CloudWatch's embedded metric format, which the log service turns into metrics: nothing is called.
 * They are kept until `flush`, one line for all that share their labels.
 */
export class EmfMetrics implements MetricsRegistry {
  readonly #options: EmfOptions;
  readonly #lines = new Map<string, Line>();
  readonly #readings: (() => void)[] = [];

  constructor(options: EmfOptions) {
    this.#options = options;
  }

  counter<L extends string = never>({ name }: MetricDefinition<L>): Counter<L> {
    return {
      add: (labels, by = 1) => this.#change(labels, name, ([before = 0] = []) => [before + by]),
    };
  }

  gauge<L extends string = never>({ name }: MetricDefinition<L>): Gauge<L> {
    const set = (labels: Labels, value: number): void => this.#change(labels, name, () => [value]);
    return {
      set,
      read: (labels, value) => void this.#readings.push(() => set(labels, value())),
    };
  }

  histogram<L extends string = never>({ name }: HistogramDefinition<L>): Histogram<L> {
    return {
      observe: (labels, value) =>
        this.#change(labels, name, (before = []) => (before.length < MAX_VALUES ? [...before, value] : before)),
    };
  }

  /** Writes what was measured since the last time; nothing where nothing was. */
  flush(): void {
    for (const read of this.#readings) read();
    const { namespace, dimensions, clock, write } = this.#options;
    for (const { labels, values } of this.#lines.values()) {
      const all = { ...dimensions, ...labels };
      const metrics = [...values.keys()].map((Name) => ({ Name, Unit: unitOf(Name) }));
      const directive = { Namespace: namespace, Dimensions: [Object.keys(all)], Metrics: metrics };
      const figures = [...values].map(([name, list]) => [name, list.length === 1 ? list[0] : list] as const);
      const head = { _aws: { Timestamp: clock.now(), CloudWatchMetrics: [directive] } };
      write(`${JSON.stringify({ ...head, ...all, ...Object.fromEntries(figures) })}\n`);
    }
    this.#lines.clear();
  }

  #change(labels: Labels, name: string, change: (before: readonly number[] | undefined) => readonly number[]): void {
    const key = JSON.stringify(labels);
    const line = this.#lines.get(key) ?? { labels, values: new Map<string, readonly number[]>() };
    this.#lines.set(key, line);
    const values = change(line.values.get(name));
    // CloudWatch refuses a whole line for one figure that is none.
    if (values.every(Number.isFinite)) line.values.set(name, values);
  }
}

interface Line {
  readonly labels: Labels;
  readonly values: Map<string, readonly number[]>;
}

/** By the suffixes of Prometheus' conventions. */
const unitOf = (name: string): string =>
  name.endsWith('_seconds') ? 'Seconds' : name.endsWith('_bytes') ? 'Bytes' : 'Count';
