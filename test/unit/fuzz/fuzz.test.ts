import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../fakes/clock.ts';
import { type FuzzTarget, fuzz } from '../../fuzz/fuzz.ts';
import { inPieces, mutate } from '../../fuzz/mutate.ts';
import { FUZZ_TARGETS } from '../../fuzz/targets.ts';

const MEBIBYTE = 1_048_576;

describe('mutated frames', () => {
  // `npm run fuzz -- --frames N` takes more of them.
  it.each(FUZZ_TARGETS)('do $name no harm', async (target) => {
    const { frames, growthBytes } = await fuzz(target, { frames: 2_000, seed: 7 });
    await target.close?.();
    expect(frames).toBeGreaterThanOrEqual(2_000);
    expect(growthBytes).toBeLessThan(24 * MEBIBYTE);
  });
});

describe('the driver of the fuzz tests', () => {
  const CORPUS = [[Buffer.from('one frame of it'), Buffer.from('and another')], [Buffer.from('and a conversation')]];
  const target = (run: FuzzTarget['run']): FuzzTarget => ({ name: 'planted', corpus: CORPUS, run });

  it('reports what a target does not stand, with all it takes to see it again', async () => {
    const fragile = target((pieces) =>
      Buffer.concat(pieces).includes(0xff) ? Promise.reject(new Error('it fell over')) : Promise.resolve(),
    );
    const first = await fuzz(fragile, { frames: 10_000, seed: 3 }).catch((error: unknown) => error);
    const second = await fuzz(fragile, { frames: 10_000, seed: 3 }).catch((error: unknown) => error);
    expect(first).toMatchObject({ name: 'FuzzFault', cause: { message: 'it fell over' } });
    expect(String(first)).toMatch(/^FuzzFault: planted, seed 3, conversation \d+: [0-9a-f]*ff[0-9a-f]*$/);
    expect(String(second)).toBe(String(first));
  });

  it('sees what a target keeps', async () => {
    const kept: Buffer[] = [];
    const hoarder = target((pieces) => {
      kept.push(Buffer.alloc(32_768, pieces.length));
      return Promise.resolve();
    });
    const { growthBytes, conversations } = await fuzz(hoarder, { frames: 10_000, seed: 3 });
    expect(kept).toHaveLength(conversations);
    expect(growthBytes).toBeGreaterThan(24 * MEBIBYTE);
  });

  it('changes every conversation, and counts what it changed', () => {
    const random = new SeededRandom(1);
    const [conversation = []] = CORPUS;
    const whole = Buffer.concat(conversation).toString('hex');
    const results = Array.from({ length: 500 }, () => mutate(conversation, CORPUS, random));
    expect(results.every(({ count }) => count >= 1)).toBe(true);
    const unchanged = results.filter(({ frames }) => Buffer.concat(frames).toString('hex') === whole);
    // To set a byte to what it is, or to cut off nothing, changes nothing.
    expect(unchanged.length).toBeLessThan(25);
  });

  it('loses nothing when it cuts a conversation into pieces', () => {
    const random = new SeededRandom(2);
    const [conversation = []] = CORPUS;
    for (let round = 0; round < 100; round += 1) {
      expect(Buffer.concat(inPieces(conversation, random)).toString()).toBe('one frame of itand another');
    }
  });
});
