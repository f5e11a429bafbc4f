import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';

/** The longest that Node's timers wait, 24 days: one that is set to more goes off at once. */
const LONGEST_MS = 2_147_483_647;

/** The machine's time. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  /** Keeps the process alive while it waits. Rejects with the signal's reason. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    try {
      let leftMs = ms;
      for (; leftMs > LONGEST_MS; leftMs -= LONGEST_MS) await delay(LONGEST_MS, undefined, signal && { signal });
      await delay(leftMs, undefined, signal && { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }
}
