import type { PodAction } from '../pod-action.ts';
import type { PodSync } from '../pod-sync.ts';

/** kubelet's limits (pkg/kubelet/container/runtime.go, MaxContainerTerminationMessageLog…). */
const MAX_LINES = 80;
const MAX_BYTES = 2_048;
/** A status waits for its log no longer. */
const PATIENCE_MS = 5_000;
/** The last lines of a container may arrive a little later than the news of its end. */
const READ_AGAIN_MS = 500;

/** Reads the ends of logs. One that cannot be had in time counts as empty: the status must not wait for it. */
export const readLogTails = async (
  sync: PodSync,
  { attempt, workloadId, containers }: Extract<PodAction, { readonly kind: 'read-log-tails' }>,
): Promise<void> => {
  const { clock } = sync.dependencies;
  const limit = new AbortController();
  const done = new AbortController();
  clock.sleep(PATIENCE_MS, done.signal).then(
    () => limit.abort(new Error('the log took too long')),
    () => undefined,
  );
  try {
    const signal = AbortSignal.any([sync.signal, limit.signal]);
    const tails = await Promise.all(
      containers.map(async (container) => [container, await tailOf(sync, workloadId, container, signal)] as const),
    );
    const { state } = sync;
    sync.know({
      state: {
        ...state,
        attempts: state.attempts.map((known) =>
          known.attempt === attempt
            ? { ...known, logTails: { ...known.logTails, ...Object.fromEntries(tails) } }
            : known,
        ),
      },
    });
  } finally {
    done.abort(new Error('the logs are read'));
  }
};

const tailOf = async (sync: PodSync, workloadId: string, container: string, signal: AbortSignal): Promise<string> => {
  const { clock, logger } = sync.dependencies;
  try {
    const first = await orGivenUp(read(sync, workloadId, container, signal), signal);
    if (first !== '') return first;
    await clock.sleep(READ_AGAIN_MS, signal);
    return await orGivenUp(read(sync, workloadId, container, signal), signal);
  } catch (error) {
    if (sync.signal.aborted) throw error;
    logger.warn('no log for the termination message', { pod: sync.view.identity, container, error });
    return '';
  }
};

const read = async (sync: PodSync, workloadId: string, container: string, signal: AbortSignal): Promise<string> => {
  const query = { workloadId, container, follow: false, timestamps: false, tailLines: MAX_LINES };
  let tail: Uint8Array = new Uint8Array();
  for await (const chunk of sync.dependencies.provider.logs(query, signal))
    tail = Buffer.concat([tail, chunk]).subarray(-MAX_BYTES);
  return textOf(tail);
};

/** Does not wait for a provider that overlooks its signal. */
const orGivenUp = <T>(reading: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    reading.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });

/** As UTF-8; the rest of a character that was cut at the front is left out. */
const textOf = (bytes: Uint8Array): string => {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return new TextDecoder().decode(start === -1 ? bytes.subarray(0, 0) : bytes.subarray(start));
};
