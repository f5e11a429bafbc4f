import type { Api } from '../api.ts';

const LIFE_MS = 3_600_000;
const SWEEP_MS = 60_000;

/** Events live an hour, as under a real API server's `--event-ttl`. */
export const expireEvents = async ({ store, clock, closing }: Api): Promise<void> => {
  while (!closing.aborted) {
    await clock.sleep(SWEEP_MS, closing);
    for (const event of store.list('events')) {
      const age = clock.now() - Date.parse(event.metadata.creationTimestamp ?? '');
      if (age > LIFE_MS) store.remove('events', event);
    }
  }
};
