import type { MetricsRegistry } from '../ports/metrics.ts';

const nothing = (): void => undefined;

/** Where nobody asks for figures. */
export const NO_METRICS: MetricsRegistry = {
  counter: () => ({ add: nothing }),
  gauge: () => ({ set: nothing, read: nothing }),
  histogram: () => ({ observe: nothing }),
};
