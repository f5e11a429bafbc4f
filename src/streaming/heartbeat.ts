import type { Clock } from '../core/clock.ts';
import type { StreamConnection } from './stream-connection.ts';

/** Below every idle limit on the way: load balancers cut at 60 s, kubectl expects an answer within a minute. */
const PING_EVERY_MS = 10_000;

/**
 * Pings until the connection is gone. Besides keeping it alive, this finds out that a client has left while nothing is
 * read from it because its input is not taken.
 */
export const keepAlive = async (connection: StreamConnection, clock: Clock): Promise<void> => {
  try {
    for (;;) {
      await clock.sleep(PING_EVERY_MS, connection.signal);
      connection.ping();
    }
  } catch {
    // The connection is gone.
  }
};
