import { describe, expect, it } from 'vitest';
import { ECS_LIMITS, type ProviderLimits } from '../fakes/provider/fake-limits.ts';
import { burst } from './burst.ts';

/** Some twenty seconds on an idle core. */
const TIMEOUT_MS = 600_000;
/** Newer regions launch less: spec of the quotas of Fargate. */
const NEW_REGION: ProviderLimits = { ...ECS_LIMITS, launch: { burst: 25, perSecond: 5 } };

describe('a burst of pods', () => {
  it.each([
    { pods: 10_000, limits: ECS_LIMITS, where: 'most regions' },
    { pods: 1_000, limits: NEW_REGION, where: 'newer regions' },
  ])(
    'follows the launch limit of $where: $pods pods',
    async ({ pods, limits }) => {
      const { burst: first, perSecond } = limits.launch;
      const idealMs = (count: number): number => (Math.max(0, count - first) / perSecond) * 1_000;
      const lastMs = idealMs(pods);

      const result = await burst({ pods, limits, ms: lastMs * 1.1 + 60_000 });

      expect(result.launchedAtMs).toHaveLength(pods);
      expect(new Set(result.order).size).toBe(pods);
      expect(result.launchedAtMs.at(-1)).toBeLessThan(lastMs * 1.1);
      // The first messages are on their way for a moment before any launch.
      const late = result.launchedAtMs.filter((at, index) => at > idealMs(index + 1) * 1.1 + 2_000);
      expect(late).toEqual([]);
      expect(result.phases).toEqual({ Running: pods });
      // Two requests for a pod where the rate is the usual one; a quarter of the turns hold in a newer region.
      expect(result.launches / pods).toBeLessThan((2.5 * 20) / perSecond);
    },
    TIMEOUT_MS,
  );
});
