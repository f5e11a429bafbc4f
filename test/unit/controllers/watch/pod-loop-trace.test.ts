import { expect, it } from 'vitest';
import { MemoryPodStore } from '../../../../src/adapters/memory/pod-store.ts';
import { MemoryWorkQueue } from '../../../../src/adapters/memory/work-queue.ts';
import { PodLoop } from '../../../../src/controllers/watch/pod-loop.ts';
import type { SpanStart, Tracer } from '../../../../src/ports/tracer.ts';
import { NOW, wakeOf } from '../../../contract/stores/samples.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';

it('a trace begins with the wake, however long the pod waits for a worker', async () => {
  const clock = new FakeClock(NOW);
  const queue = new MemoryWorkQueue({ clock });
  const spans: SpanStart[] = [];
  const failed: string[] = [];
  const tracer: Tracer = {
    span: async (start, work) => {
      spans.push(start);
      try {
        return await work();
      } catch (error) {
        failed.push(start.name);
        throw error;
      }
    },
  };
  const loop = new PodLoop({
    source: queue,
    podStore: new MemoryPodStore(),
    controller: {
      claim: () => Promise.resolve(undefined),
      run: () => Promise.reject(new Error('nothing was claimed')),
      reconcile: async (podUid) => {
        await clock.sleep(1_000);
        if (podUid === 'b2') throw new Error('no');
      },
    },
    clock,
    logger: new RecordingLogger(),
    tracer,
  });
  const ending = new AbortController();
  const running = loop.run(1, { taking: ending.signal, working: ending.signal });
  queue.wake(wakeOf('a1'));
  queue.wake(wakeOf('b2'));
  await clock.advance(1_000);
  ending.abort();
  await clock.advance(1_000);
  await running;
  expect(spans.map(({ name, startedMsAgo, attributes }) => [name, startedMsAgo, attributes?.['k8s.pod.uid']])).toEqual([
    ['pod.wake', 0, 'a1'],
    ['pod.reconcile', undefined, undefined],
    ['pod.wake', 1_000, 'b2'],
    ['pod.reconcile', undefined, undefined],
  ]);
  expect(failed).toEqual(['pod.reconcile', 'pod.wake']);
});
