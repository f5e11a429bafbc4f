import { describe, expect, it } from 'vitest';
import { CALM } from './profile.ts';
import { type SimulationResult, simulate } from './simulation.ts';
import type { Sabotage } from './weather.ts';

/**
 * A calm world with one pod that succeeds and is deleted, and one that crashes, restarts and is deleted while it runs:
 * every call a pod's life has is in it.
 */
const SEED = 109;
const ONLY = new Set([1, 2, 3, 4].map((deed) => `deed: ${deed} #1`));
/** Calls of the schedules, which are the same every time. */
const ROUTINE = /^(podStore\.takeDue|podStore\.knownPods|pods\.listMetadata)/;
const TIMEOUT_MS = 240_000;

const live = (sabotage: (boundary: string) => Sabotage | undefined): Promise<SimulationResult> =>
  simulate(SEED, { profile: CALM, only: ONLY, sabotage });

/** Every place where something may go wrong: before and after each call, in order. */
const boundariesOf = async (): Promise<readonly string[]> => {
  const boundaries: string[] = [];
  await live((boundary) => {
    if (!ROUTINE.test(boundary)) boundaries.push(boundary);
    return undefined;
  });
  return boundaries;
};

describe('a life in which one thing goes wrong', () => {
  it.each<Sabotage>(['death', 'error', 'throttle', 'stall'])(
    'ends as it must, whichever call it is that meets: %s',
    async (kind) => {
      const boundaries = await boundariesOf();
      const broken: string[] = [];
      for (const [index, boundary] of boundaries.entries()) {
        let count = 0;
        const { violation, history } = await live((where) => {
          if (ROUTINE.test(where)) return undefined;
          count += 1;
          return count === index + 1 ? kind : undefined;
        });
        expect(
          history.some((line) => line.endsWith(`${boundary}: ${kind}`) || line.includes(`${boundary}: stall`)),
        ).toBe(true);
        if (violation) broken.push(`${boundary} (${index + 1}): ${violation.message}\n${history.join('\n')}`);
      }

      expect(boundaries.length).toBeGreaterThan(200);
      expect(broken).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
