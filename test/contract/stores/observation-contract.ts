import { beforeEach, describe, expect, it } from 'vitest';
import type { PodStore } from '../../../src/ports/pod-store.ts';
import { claimed, MINUTE, NOW, wakeOf, workloadOf } from './samples.ts';

/** How observations are kept: by version, and only news wakes. */
export const describeObservations = (name: string, make: () => PodStore | Promise<PodStore>): void => {
  describe(`${name}: observations`, () => {
    let store: PodStore;
    beforeEach(async () => {
      store = await make();
      await claimed(store, 'a1');
      await store.release('a1', 'one', { state: { attempts: [], restarts: {} }, renewUntil: NOW });
    });

    const counters = async (): Promise<readonly (number | undefined)[]> => {
      const row = await store.get('a1');
      return [row?.wanted, row?.seen];
    };

    it('keeps one of a workload the row does not know yet, and wakes the pod', async () => {
      const seen = workloadOf('a1', { version: 3, ips: ['10.0.0.7'], containers: [{ name: 'app', state: 'running' }] });
      expect(await store.observe(seen)).toEqual({ namespace: 'default', name: 'pod-a1', uid: 'a1' });
      expect((await store.get('a1'))?.observations).toEqual({
        'arn:aws:ecs:eu-west-1:123456789012:task/svk/a1-1': {
          id: 'arn:aws:ecs:eu-west-1:123456789012:task/svk/a1-1',
          podUid: 'a1',
          attempt: 1,
          try: 1,
          version: 3,
          phase: 'starting',
          stopping: false,
          ips: ['10.0.0.7'],
          containers: [{ name: 'app', state: 'running' }],
        },
      });
      expect(await counters()).toEqual([2, 1]);
    });

    it('never makes a row', async () => {
      expect(await store.observe(workloadOf('b2'))).toBeUndefined();
      expect(await store.get('b2')).toBeUndefined();
    });

    it('ignores what belongs to no pod', async () => {
      expect(await store.observe(workloadOf('a1', { podUid: undefined }))).toBeUndefined();
    });

    it('never lets an older one overwrite a newer one', async () => {
      await store.observe(workloadOf('a1', { version: 5, phase: 'stopped' }));
      await seeAndRelease();
      expect(await store.observe(workloadOf('a1', { version: 4, phase: 'running' }))).toBeUndefined();
      expect(await phase()).toBe('stopped');
      expect(await counters()).toEqual([2, 2]);
    });

    it('does not wake for a newer one that says nothing new, but keeps its version', async () => {
      await store.observe(workloadOf('a1', { version: 1, phase: 'running' }));
      await seeAndRelease();
      expect(await store.observe(workloadOf('a1', { version: 3, phase: 'running' }))).toBeUndefined();
      expect(await counters()).toEqual([2, 2]);
      expect(await store.observe(workloadOf('a1', { version: 2, phase: 'starting' }))).toBeUndefined();
      expect(await phase()).toBe('running');
    });

    it('answers a duplicate as long as nobody has acted on the first: its worker may have died', async () => {
      const seen = workloadOf('a1', { version: 2, phase: 'running' });
      await store.observe(seen);
      expect((await store.observe(seen))?.uid).toBe('a1');
      expect(await counters()).toEqual([2, 1]);
      await seeAndRelease();
      expect(await store.observe(seen)).toBeUndefined();
    });

    it('keeps those of two workloads of one pod', async () => {
      await store.observe(workloadOf('a1', { id: 'task-1', phase: 'running' }));
      await store.observe(workloadOf('a1', { id: 'task-2', phase: 'starting' }));
      expect(Object.keys((await store.get('a1'))?.observations ?? {}).sort()).toEqual(['task-1', 'task-2']);
    });

    it('counts those that come at once, whatever their order', async () => {
      const versions = [4, 1, 5, 2, 3];
      await Promise.all(versions.map((version) => store.observe(workloadOf('a1', { version, createdAt: version }))));
      const row = await store.get('a1');
      expect(Object.values(row?.observations ?? {}).map(({ version }) => version)).toEqual([5]);
      expect(row?.wanted).toBeGreaterThan(1);
    });

    it('makes a holder look again', async () => {
      await store.claim('a1', { id: 'two', now: NOW, until: NOW + MINUTE });
      await store.observe(workloadOf('a1', { version: 2, phase: 'stopped' }));
      const row = await store.release('a1', 'two', { state: { attempts: [], restarts: {} }, renewUntil: NOW + MINUTE });
      expect(Object.values(row?.observations ?? {}).map(({ phase }) => phase)).toEqual(['stopped']);
    });

    it('forgets the stopped ones of attempts older than the state at release, and nothing else', async () => {
      await store.observe(workloadOf('a1', { id: 'old', attempt: 1, phase: 'stopped' }));
      await store.observe(workloadOf('a1', { id: 'old-but-alive', attempt: 1, phase: 'running' }));
      await store.observe(workloadOf('a1', { id: 'last', attempt: 2, phase: 'stopped' }));
      await store.observe(workloadOf('a1', { id: 'unknown-yet', attempt: 9, phase: 'stopped' }));
      await store.claim('a1', { id: 'two', now: NOW, until: NOW + MINUTE });
      const attempts = [
        { attempt: 2, try: 1, workloadId: 'last' },
        { attempt: 3, try: 1 },
      ];
      await store.release('a1', 'two', { state: { attempts, restarts: {} }, renewUntil: NOW });
      const kept = Object.keys((await store.get('a1'))?.observations ?? {});
      expect(kept.sort()).toEqual(['last', 'old-but-alive', 'unknown-yet']);
    });

    const phase = async (): Promise<string | undefined> =>
      Object.values((await store.get('a1'))?.observations ?? {})[0]?.phase;

    const seeAndRelease = async (): Promise<void> => {
      await store.claim('a1', { id: 'two', now: NOW, until: NOW + MINUTE });
      await store.release('a1', 'two', { state: { attempts: [], restarts: {} }, renewUntil: NOW });
    };

    it('wakes by observations and by messages alike', async () => {
      await store.observe(workloadOf('a1', { version: 2 }));
      await store.wake(wakeOf('a1'));
      expect(await counters()).toEqual([3, 1]);
    });
  });
};
