import { Counter as PromCounter, Gauge as PromGauge, Histogram as PromHistogram, Registry } from 'prom-client';
import type {
  Counter,
  Gauge,
  Histogram,
  HistogramDefinition,
  LabelValues,
  MetricDefinition,
  MetricsRegistry,
} from '../../ports/metrics.ts';
import { addProcessFigures } from './process-figures.ts';
import type { Exposition } from './telemetry-server.ts';

type Labels = LabelValues<string>;

/** Figures of this process in Prometheus' text format, with those of the process itself. */
export class PrometheusMetrics implements MetricsRegistry {
  readonly #registry = new Registry();
  readonly #instruments = new Map<string, Counter<string> | Gauge<string> | Histogram<string>>();

  constructor(clock: { now(): number }) {
    addProcessFigures(this.#registry, clock);
  }

  counter<L extends string = never>(definition: MetricDefinition<L>): Counter<L> {
    return this.#once(definition.name, CounterInstrument, () => {
      const counter = new PromCounter<string>(this.#configuration(definition));
      return new CounterInstrument(counter);
    });
  }

  gauge<L extends string = never>(definition: MetricDefinition<L>): Gauge<L> {
    return this.#once(definition.name, GaugeInstrument, () => new GaugeInstrument(this.#configuration(definition)));
  }

  histogram<L extends string = never>(definition: HistogramDefinition<L>): Histogram<L> {
    return this.#once(definition.name, HistogramInstrument, () => {
      const buckets = [...definition.buckets];
      const histogram = new PromHistogram<string>({ ...this.#configuration(definition), buckets });
      return new HistogramInstrument(histogram);
    });
  }

  /** All figures as they are now. */
  async expose(): Promise<Exposition> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  #configuration({ name, help, labels = [] }: MetricDefinition<string>): Configuration {
    return { name, help, labelNames: labels, registers: [this.#registry] };
  }

  #once<T extends Counter<string> | Gauge<string> | Histogram<string>>(
    name: string,
    kind: abstract new (...args: never) => T,
    create: () => T,
  ): T {
    const before = this.#instruments.get(name);
    if (before === undefined) {
      const created = create();
      this.#instruments.set(name, created);
      return created;
    }
    if (before instanceof kind) return before;
    throw new Error(`${name} is registered as another kind of metric: give this one another name`);
  }
}

interface Configuration {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly registers: Registry[];
}

class CounterInstrument implements Counter<string> {
  readonly #counter: PromCounter;

  constructor(counter: PromCounter) {
    this.#counter = counter;
  }

  add(labels: Labels, by = 1): void {
    this.#counter.inc(labels, by);
  }
}

class GaugeInstrument implements Gauge<string> {
  readonly #gauge: PromGauge;
  readonly #readings = new Map<string, { readonly labels: Labels; readonly value: () => number }>();

  constructor(configuration: Configuration) {
    this.#gauge = new PromGauge<string>({ ...configuration, collect: () => this.#collect() });
  }

  set(labels: Labels, value: number): void {
    this.#gauge.set(labels, value);
  }

  read(labels: Labels, value: () => number): void {
    this.#readings.set(JSON.stringify(labels), { labels, value });
  }

  /** A value nobody knows yet is left out: no alarm compares with NaN. */
  #collect(): void {
    for (const { labels, value } of this.#readings.values()) {
      const now = value();
      if (Number.isNaN(now)) this.#gauge.remove(labels);
      else this.#gauge.set(labels, now);
    }
  }
}

class HistogramInstrument implements Histogram<string> {
  readonly #histogram: PromHistogram;

  constructor(histogram: PromHistogram) {
    this.#histogram = histogram;
  }

  observe(labels: Labels, value: number): void {
    this.#histogram.observe(labels, value);
  }
}
