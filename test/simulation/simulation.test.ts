import { describe, expect, it } from 'vitest';
import { simulate } from './simulation.ts';
import { runWorlds, type Worlds } from './worlds.ts';

const WORLDS = 2_000;
const BATCH = 250;
/** Several times what it takes on two cores that others use, too. */
const TIMEOUT_MS = 240_000;

describe('any world', () => {
  const seen: Worlds[] = [];

  it.each(Array.from({ length: WORLDS / BATCH }, (_, batch) => batch * BATCH + 1))(
    'keeps every promise, from seed %i on',
    async (from) => {
      const worlds = await runWorlds({ from, count: BATCH, mostFailures: 1, shrinks: true });
      seen.push(worlds);
      const [first] = worlds.failed;
      expect(first?.violation?.message, `seed ${first?.seed}\n${first?.history.join('\n')}`).toBeUndefined();
    },
    TIMEOUT_MS,
  );

  it.each([
    'account busy',
    'admission lost',
    'cluster swapped',
    'death',
    'deleted by force',
    'error',
    'event late',
    'event lost',
    'event twice',
    'false absence',
    'hidden at first',
    'hidden later',
    'kubernetes down',
    'launch arrives late',
    'launch fault',
    'message twice',
    'podStore down',
    'process outlives its time',
    'provider down',
    'queue down',
    'stall',
    'start fails',
    'table lost',
    'taken away',
    'throttle',
    'we are down',
  ])('was tried by: %s', (kind) => {
    const worlds = seen.reduce((sum, { mishaps }) => sum + (mishaps.get(kind)?.worlds ?? 0), 0);
    expect(worlds).toBeGreaterThan(WORLDS / 100);
  });

  it('is the same again for the same seed', async () => {
    expect((await simulate(13)).history).toEqual((await simulate(13)).history);
  });
});
