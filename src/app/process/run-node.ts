import { every } from '../../controllers/watch/every.ts';
import type { Clock } from '../../core/clock.ts';
import type { NodeProcess } from './node-process.ts';

const TIMERS_MS = 10_000;
const COLLECT_MS = 300_000;
const ADOPT_RETRY_MS = 5_000;
const DELETE_NODE_MS = 5_000;
/** For work that takes no notice of being cut short. */
const LEFT_BEHIND_MS = 1_000;

/**
 * Runs a node until `signal` aborts, then lets what is in progress finish. `onReady` is called once its Node is Ready and
 * its pods are worked on.
 * @throws what keeps it from starting for good: a node of somebody else, missing rights.
 */
export const runNode = async (node: NodeProcess, signal: AbortSignal, onReady: () => void): Promise<void> => {
  const { keeper, podReflector, serviceReflector } = node;
  const alive = new AbortController();
  const watching = new AbortController();
  const watches = AbortSignal.any([signal, watching.signal]);
  const background: Promise<void>[] = [podReflector.run(watches), serviceReflector.run(watches)];
  try {
    await Promise.all([keeper.register(signal), orAborted(podReflector.synced, signal)]);
    background.push(keeper.run(alive.signal));
    await adopt(node, signal);
    await node.resync.run(node.parts.definition.name, signal);
    const working = new AbortController();
    const workers = node.loop.run(node.parts.workers, { taking: signal, working: working.signal });
    background.push(...followUp(node, watches));
    onReady();
    await aborted(signal);
    await drain(node, workers, working);
    if (node.parts.deleteNode) await deleteNode(node);
  } catch (error) {
    // Being told to end is no failure, however far we had come.
    if (!signal.aborted) throw error;
  } finally {
    node.stop();
    alive.abort();
    watching.abort();
    await Promise.all(background);
  }
};

/** What goes on beside the workers: news of the provider, timers of others, comparing, collecting. */
const followUp = (node: NodeProcess, signal: AbortSignal): readonly Promise<void>[] => {
  const { parts, provider, queue, poller, resync, timers, collector } = node;
  const { clock, logger, definition, resyncMs } = parts;
  const means = { clock, logger, signal };
  const stopWatching = provider.watch?.((workload) => queue.observe(workload));
  if (stopWatching) signal.addEventListener('abort', stopWatching, { once: true });
  const compare = async (): Promise<void> => {
    await resync.run(definition.name, signal);
    // A provider that tells may have told in vain; one that is polled is compared all the time.
    if (stopWatching) await poller.poll(signal);
  };
  return [
    ...(stopWatching ? [] : [poller.run(signal)]),
    ...(resyncMs > 0 ? [every({ ms: resyncMs, what: 'resync' }, means, compare)] : []),
    every({ ms: TIMERS_MS, what: 'timers' }, means, () => timers.startDue(signal)),
    every({ ms: COLLECT_MS, what: 'collector' }, means, () => collector.run([definition.name], signal)),
  ];
};

/** Goes on until the provider has told what it runs: before that nothing may be launched. */
const adopt = async ({ adoption, parts }: NodeProcess, signal: AbortSignal): Promise<void> => {
  const { definition, clock, logger } = parts;
  for (;;) {
    try {
      await adoption.adopt(definition.name, signal);
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      logger.warn('node not adopted; it is tried again', { node: definition.name, error });
      await clock.sleep(ADOPT_RETRY_MS, signal);
    }
  }
};

const drain = async (
  { parts, queue }: NodeProcess,
  workers: Promise<void>,
  working: AbortController,
): Promise<void> => {
  const { clock, logger, drainMs } = parts;
  logger.info('ending', { inProgress: queue.inProgress });
  if (await endsWithin(drainMs, workers, clock)) return;
  working.abort(new Error('the process ends'));
  if (!(await endsWithin(LEFT_BEHIND_MS, workers, clock)))
    logger.warn('work was left behind: whoever starts next takes it up', { inProgress: queue.inProgress });
};

const endsWithin = async (ms: number, work: Promise<void>, clock: Clock): Promise<boolean> => {
  const enough = new AbortController();
  const late = clock.sleep(ms, enough.signal).then(
    () => false,
    () => false,
  );
  const ended = await Promise.race([work.then(() => true), late]);
  enough.abort();
  return ended;
};

const deleteNode = async ({ keeper, parts }: NodeProcess): Promise<void> => {
  try {
    await keeper.delete(AbortSignal.timeout(DELETE_NODE_MS));
  } catch (error) {
    parts.logger.warn('node not deleted', { error });
  }
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const orAborted = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> => {
  const ended = new AbortController();
  try {
    return await Promise.race([
      promise,
      aborted(AbortSignal.any([signal, ended.signal])).then(() => Promise.reject(new Error('the process ends'))),
    ]);
  } finally {
    ended.abort();
  }
};
