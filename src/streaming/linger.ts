import type { Clock } from '../core/clock.ts';
import type { StreamConnection } from './stream-connection.ts';
import { whenAborted } from './when-aborted.ts';

/** A client that reads slowly may need minutes for what is in the sockets' buffers; kubectl pings meanwhile. */
const LINGER_MS = 600_000;
const LINGER_IN_SILENCE_MS = 120_000;

/**
 * Waits for the client to hang up, and hangs up itself when that takes too long. Closing first would reset the connection
 * below a client that still reads.
 */
export const lingerUntilGone = async (connection: StreamConnection, clock: Clock): Promise<void> => {
  const endsAt = clock.now() + LINGER_MS;
  for (;;) {
    const leftMs = Math.min(endsAt, connection.heardAt + LINGER_IN_SILENCE_MS) - clock.now();
    if (leftMs <= 0) break;
    await clock.sleep(leftMs, connection.signal).catch(() => undefined);
    if (connection.signal.aborted) return;
  }
  connection.close();
  await new Promise<void>((resolve) => whenAborted(connection.signal, resolve));
};
