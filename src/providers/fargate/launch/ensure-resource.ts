import type { Clock, Random } from '../../../core/clock.ts';
import { NotFoundError, SvkError, TransientError } from '../../../core/errors.ts';
import type { ResourceStore } from '../../../ports/resource-store.ts';
import { pause, throwIfGivenUp } from './give-up.ts';

export interface EnsureDependencies {
  readonly resources: ResourceStore;
  readonly clock: Clock;
  readonly random: Random;
}

const CLAIM_MS = 30_000;
const POLL_MS = 500;
/** A little more than a claim, so that whoever waits lives to see an abandoned one end. */
const PATIENCE_MS = 35_000;

/**
 * What the shared resource `key` is called; made by exactly one of all who ask at the same time, while the others wait
 * for its row. A row younger than `touchAfterMs` is not written.
 * @throws {TransientError} where the maker takes too long or `signal` aborts; what `make` throws frees the claim at once, if the answer was
 *   definite, and else leaves it to expire.
 */
export const ensureResource = async (
  { resources, clock, random }: EnsureDependencies,
  key: string,
  { touchAfterMs, make }: { readonly touchAfterMs: number; readonly make: () => Promise<string> },
  signal: AbortSignal,
): Promise<string> => {
  const deadline = clock.now() + PATIENCE_MS;
  for (;;) {
    throwIfGivenUp(signal);
    const row = await resources.get(key);
    if (row?.value !== undefined) {
      if (clock.now() - row.usedAt < touchAfterMs || (await touched(resources, key, clock.now()))) return row.value;
      continue;
    }
    const now = clock.now();
    if (await resources.claim(key, { id: random.uuid(), now, until: now + CLAIM_MS })) {
      const value = await made(resources, key, make);
      await resources.ready(key, { value, usedAt: clock.now() });
      return value;
    }
    if (now >= deadline) throw new TransientError(`${key} is being made by another worker for too long`);
    await pause(clock, POLL_MS, signal);
  }
};

/** False where the collector has just removed the row. */
const touched = async (resources: ResourceStore, key: string, now: number): Promise<boolean> => {
  try {
    await resources.touch(key, now);
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
};

const made = async (resources: ResourceStore, key: string, make: () => Promise<string>): Promise<string> => {
  try {
    return await make();
  } catch (error) {
    if (error instanceof SvkError && error.disposition !== 'transient') await resources.drop(key);
    throw error;
  }
};
