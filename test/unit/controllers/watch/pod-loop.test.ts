import { expect, it } from 'vitest';
import { MemoryPodStore } from '../../../../src/adapters/memory/pod-store.ts';
import { MemoryWorkQueue } from '../../../../src/adapters/memory/work-queue.ts';
import type { PodController } from '../../../../src/controllers/pod/pod-controller.ts';
import { PodLoop } from '../../../../src/controllers/watch/pod-loop.ts';
import { claimed, NOW, wakeOf, workloadOf } from '../../../contract/stores/samples.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';

/** A loop whose controller takes a second for a pod and says what it does. */
const world = ({ workers = 2 }: { workers?: number } = {}) => {
  const clock = new FakeClock(NOW);
  const queue = new MemoryWorkQueue({ clock });
  const podStore = new MemoryPodStore();
  const logger = new RecordingLogger();
  const begun: string[] = [];
  const ended: string[] = [];
  const failures: Error[] = [];
  const work = async (uid: string, signal: AbortSignal): Promise<void> => {
    begun.push(`${clock.now() - NOW} ${uid}`);
    const failure = failures.shift();
    if (failure) throw failure;
    await clock.sleep(1_000, signal);
    ended.push(`${clock.now() - NOW} ${uid}`);
  };
  const controller: Pick<PodController, 'claim' | 'run' | 'reconcile'> = {
    // Whoever holds the pods: the news must be entered all the same.
    claim: () => Promise.resolve(undefined),
    run: () => Promise.reject(new Error('nothing was claimed')),
    reconcile: work,
  };
  const results: string[] = [];
  const loop = new PodLoop({
    source: queue,
    podStore,
    controller,
    clock,
    logger,
    observer: {
      taken: (ms) => void results.push(`waited ${ms}`),
      ended: (result, ms) => void results.push(`${result} ${ms}`),
    },
  });
  const taking = new AbortController();
  const working = new AbortController();
  const running = loop.run(workers, { taking: taking.signal, working: working.signal });
  return { clock, queue, podStore, logger, begun, ended, failures, results, taking, working, running };
};

it('works on so many pods at once, and never twice on one', async () => {
  const { clock, queue, begun, podStore } = world();
  for (const uid of ['a1', 'b2', 'c3']) queue.wake(wakeOf(uid));
  await clock.advance(0);
  queue.wake(wakeOf('a1'));
  await clock.advance(3_000);
  expect(begun).toEqual(['0 a1', '0 b2', '1000 c3', '1000 a1']);
  expect((await podStore.get('a1'))?.wanted).toBe(2);
});

it('lets a pod be that nobody has seen and no row knows', async () => {
  const { clock, queue, begun, podStore } = world();
  queue.wake(wakeOf('a1', { reason: 'delete' }));
  queue.observe(workloadOf('b2'));
  await clock.advance(0);
  expect(begun).toEqual([]);
  expect(await podStore.get('a1')).toBeUndefined();
});

it('writes down what was observed, and works on the pod for news only', async () => {
  const { clock, queue, begun, podStore } = world();
  await claimed(podStore, 'a1');
  queue.observe(workloadOf('a1', { version: 2, phase: 'running' }));
  await clock.advance(2_000);
  // The holder is told of the news first, and lets go of the pod then.
  const write = { state: { attempts: [], restarts: {} }, renewUntil: NOW };
  expect((await podStore.release('a1', 'one', write))?.wanted).toBe(2);
  expect(await podStore.release('a1', 'one', write)).toBeUndefined();
  queue.observe(workloadOf('a1', { version: 2, phase: 'running' }));
  await clock.advance(2_000);
  expect(begun).toEqual(['0 a1']);
  expect(Object.values((await podStore.get('a1'))?.observations ?? {})).toMatchObject([{ version: 2 }]);
});

it('tries again what went wrong, after a while, and says so', async () => {
  const { clock, queue, begun, failures, logger, results } = world();
  failures.push(new Error('table is gone'), new Error('table is gone'));
  queue.wake(wakeOf('a1'));
  await clock.advance(2_000);
  expect(begun).toEqual(['0 a1', '5 a1', '15 a1']);
  expect(logger.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'error pod not worked on; it is tried again',
    'error pod not worked on; it is tried again',
  ]);
  expect(results).toEqual(['waited 0', 'error 0', 'waited 0', 'error 0', 'waited 0', 'success 1000']);
});

it('finishes what it has taken when it is to end, and takes nothing more', async () => {
  const { clock, queue, begun, ended, taking, running } = world();
  for (const uid of ['a1', 'b2', 'c3']) queue.wake(wakeOf(uid));
  await clock.advance(500);
  taking.abort();
  await clock.advance(5_000);
  await running;
  expect([begun, ended]).toEqual([
    ['0 a1', '0 b2'],
    ['1000 a1', '1000 b2'],
  ]);
});

it('cuts short what takes too long at the end, without calling it an error', async () => {
  const { clock, queue, ended, taking, working, logger, running } = world();
  queue.wake(wakeOf('a1'));
  await clock.advance(500);
  taking.abort();
  working.abort(new Error('the process ends'));
  await clock.advance(0);
  await running;
  expect([ended, logger.lines]).toEqual([[], []]);
});
