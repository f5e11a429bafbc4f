import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';

/** The machine's time. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  /** Keeps the process alive while it waits. Rejects with the signal's reason. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    try {
      await delay(ms, undefined, signal && { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }
}
