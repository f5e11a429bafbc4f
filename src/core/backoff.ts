/** How long to wait after repeated failures: `initialSeconds`, doubling, never more than `maxSeconds`. */
export interface BackOffCurve {
  readonly initialSeconds: number;
  readonly maxSeconds: number;
}

/** The wait that follows one of `previousSeconds` (undefined: none yet), in seconds. */
export const nextDelaySeconds = (
  { initialSeconds, maxSeconds }: BackOffCurve,
  previousSeconds: number | undefined,
): number => Math.min(previousSeconds === undefined ? initialSeconds : previousSeconds * 2, maxSeconds);

/**
 * Spreads a wait over its second half, so that those who failed together do not come back together. `chance` is a number
 * in [0, 1).
 */
export const spread = (ms: number, chance: number): number => Math.round(ms * (1 - chance / 2));

/** The wait after the `failures`-th failure in a row, counted from 1, in seconds. */
export const delaySecondsAfter = ({ initialSeconds, maxSeconds }: BackOffCurve, failures: number): number =>
  Math.min(initialSeconds * 2 ** Math.min(Math.max(failures, 1) - 1, 30), maxSeconds);
