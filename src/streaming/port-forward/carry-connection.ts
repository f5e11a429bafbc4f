import type { Duplex } from 'node:stream';
import { TransientError } from '../../core/errors.ts';
import type { DialPort } from '../session.ts';
import type { ForwardedPair } from './forwarded-pair.ts';

export interface CarryOptions {
  readonly dial: DialPort;
  readonly onRefused?: ((port: number, error: Error) => void) | undefined;
  /** Whether the streams have ends and resets. Else a connection is over when its target has ended its half. */
  readonly hasEnds: boolean;
}

/**
 * Dials the target of one forwarded connection and carries its bytes until both directions have ended, each on its own.
 * Resolves when the target is closed, or was not to be had; never rejects.
 *
 * Where nobody listens, only this connection is reset: kubectl ends the whole forward as soon as the error stream says
 * anything. It does for every other failure, as with a kubelet.
 */
export const carryConnection = async (pair: ForwardedPair, options: CarryOptions): Promise<void> => {
  const { port, data, error } = pair;
  const { dial, onRefused, hasEnds } = options;
  error.discard();
  const givenUp = new AbortController();
  data.once('close', () => givenUp.abort(new Error('the connection was given up')));
  try {
    await carry(pair, await dial(port, givenUp.signal), hasEnds);
  } catch (cause) {
    const isRefused = cause instanceof TransientError && !givenUp.signal.aborted;
    if (isRefused) onRefused?.(port, cause);
    if (givenUp.signal.aborted || (isRefused && hasEnds)) await error.finishWriting();
    else await error.finishWriting(Buffer.from(`error forwarding port ${port} to pod: ${reasonOf(cause)}`));
    data.destroy();
  }
};

/** Resolves when the target is closed. */
const carry = ({ data, error }: ForwardedPair, target: Duplex, hasEnds: boolean): Promise<void> =>
  new Promise((resolve) => {
    target.on('error', () => data.destroy());
    target.once('close', () => {
      if (!data.writableEnded) data.destroy();
      void error.finishWriting().then(resolve);
    });
    data.once('close', () => target.destroy());
    // Clients wait for the end of the error stream once the data has ended, though they may still send.
    data.once('finish', () => {
      if (hasEnds) void error.finishWriting();
      else target.destroy();
    });
    if (data.destroyed) return void target.destroy();
    data.pipe(target);
    target.pipe(data);
  });

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
