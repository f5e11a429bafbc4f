import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SeededRandom } from '../fakes/clock.ts';
import { type Conversation, inPieces, mutate } from './mutate.ts';

/** Something that reads what others send. */
export interface FuzzTarget {
  readonly name: string;
  readonly corpus: readonly Conversation[];
  /**
   * Has a fresh one read `pieces`, one after the other, and then lose its peer. Rejects where it did what it must not:
   * crashed, kept hold of anything, held more than it may.
   */
  readonly run: (pieces: readonly Buffer[]) => Promise<void>;
  /** Ends what all of its runs shared. */
  readonly close?: () => Promise<void>;
}

export interface FuzzOptions {
  /** Mutated frames at least. */
  readonly frames: number;
  readonly seed: number;
}

export interface FuzzReport {
  readonly frames: number;
  readonly conversations: number;
  /** What is held more after the last conversation than after the first tenth of them, garbage left out. */
  readonly growthBytes: number;
}

/** A conversation that a target did not stand. `npm run fuzz` with the same seed comes to it again. */
class FuzzFault extends Error {
  override readonly name = 'FuzzFault';
}

/** Has `target` read mutated conversations, the same for the same seed. @throws {FuzzFault} at the first it does not stand. */
export const fuzz = async (target: FuzzTarget, { frames: wanted, seed }: FuzzOptions): Promise<FuzzReport> => {
  const random = new SeededRandom(seed);
  let [frames, conversations] = [0, 0];
  let base: number | undefined;
  while (frames < wanted) {
    const chosen = target.corpus[conversations % target.corpus.length] ?? [];
    const mutated = mutate(chosen, target.corpus, random);
    const pieces = inPieces(mutated.frames, random);
    try {
      await target.run(pieces);
    } catch (cause) {
      const bytes = Buffer.concat(pieces).toString('hex');
      throw new FuzzFault(`${target.name}, seed ${seed}, conversation ${conversations}: ${bytes}`, { cause });
    }
    frames += mutated.count;
    conversations += 1;
    if (base === undefined && frames * 10 >= wanted) base = await heldBytes();
  }
  return { frames, conversations, growthBytes: (await heldBytes()) - (base ?? 0) };
};

const heldBytes = async (): Promise<number> => {
  // What is freed may free more: inflaters end in threads of their own.
  for (let round = 0; round < 4; round += 1) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
