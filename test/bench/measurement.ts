/** What every benchmark is given. */
export interface BenchOptions {
  /** How many pods a figure is made of, where it is made of pods. */
  readonly pods: number;
}

/** One figure. With `--json` each is printed as one object a line. */
export interface Measurement {
  readonly bench: string;
  readonly metric: string;
  readonly unit: string;
  /** What was measured: `lambda`, `mock`, `peer` … */
  readonly subject: string;
  readonly value: number;
  readonly p50?: number;
  readonly p99?: number;
  readonly n?: number;
  /** What the figure consists of, by name. */
  readonly detail?: Readonly<Record<string, number>>;
}

/** Nearest rank. @param samples at least one. */
const quantile = (samples: readonly number[], q: number): number => {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
};

/** The median as the figure, with the quantiles beside it. */
export const fromSamples = (
  name: Pick<Measurement, 'bench' | 'metric' | 'unit' | 'subject'>,
  samples: readonly number[],
): Measurement => ({
  ...name,
  value: quantile(samples, 0.5),
  p50: quantile(samples, 0.5),
  p99: quantile(samples, 0.99),
  n: samples.length,
});
