import { readFile } from 'node:fs/promises';
import type { Clock } from '../../core/clock.ts';
import { TransientError } from '../../core/errors.ts';

/** The bearer token to send now. Called for every request: it answers from memory as long as it may. */
export type TokenSource = () => Promise<string>;

/** client-go's: a token in a file is replaced long before it runs out. */
const REREAD_AFTER_MS = 60_000;

/** The token in a file, read again every minute. A file that cannot be read for a while is no reason to stop. */
export const fileTokens = (file: string, clock: Clock): TokenSource =>
  cachedTokens(
    async () => (await readFile(file, 'utf8')).trim(),
    clock,
    (cause) => new TransientError(`the token in ${file} cannot be read`, { cause }),
  );

/** What `read` answers, asked again every minute; what it answered last where it then fails. */
export const cachedTokens = (
  read: () => Promise<string>,
  clock: Clock,
  failed: (cause: unknown) => Error,
): TokenSource => {
  let held: { readonly token: string; readonly at: number } | undefined;
  let reading: Promise<string> | undefined;
  const renew = async (): Promise<string> => {
    try {
      const token = await read();
      held = { token, at: clock.now() };
      return token;
    } catch (cause) {
      if (held) return held.token;
      throw failed(cause);
    } finally {
      reading = undefined;
    }
  };
  return async () => {
    if (held && clock.now() - held.at < REREAD_AFTER_MS) return held.token;
    reading ??= renew();
    return reading;
  };
};
