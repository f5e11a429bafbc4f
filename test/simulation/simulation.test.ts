import { describe, expect, it } from 'vitest';
import { simulate } from './simulation.ts';

const WORLDS = 200;
const BATCH = 25;

describe('any world', () => {
  it.each(Array.from({ length: WORLDS / BATCH }, (_, batch) => batch * BATCH + 1))(
    'keeps every promise, from seed %i on',
    async (from) => {
      for (let seed = from; seed < from + BATCH; seed += 1) {
        const { violation, history } = await simulate(seed);
        expect(violation, `seed ${seed}\n${history.join('\n')}`).toBeUndefined();
      }
    },
    60_000,
  );

  it('is the same again for the same seed', async () => {
    expect((await simulate(8)).history).toEqual((await simulate(8)).history);
  });
});
