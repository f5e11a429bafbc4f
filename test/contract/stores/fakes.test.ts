import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../fakes/clock.ts';
import { FakeNodeStore } from '../../fakes/stores/fake-node-store.ts';
import { FakePodStore } from '../../fakes/stores/fake-pod-store.ts';
import { FakeResourceStore } from '../../fakes/stores/fake-resource-store.ts';
import { describeNodeStore } from './node-store-contract.ts';
import { describePodStore } from './pod-store-contract.ts';
import { describeResourceStore } from './resource-store-contract.ts';
import { claimed, MINUTE, NOW, wakeOf } from './samples.ts';

describe('the fake store of pods', () => {
  it('shows changes late in its indexes, and lets the row decide', async () => {
    const clock = new FakeClock(NOW);
    const store = new FakePodStore({ clock, indexDelayMs: 1000 });
    await claimed(store, 'a1');
    expect(await store.knownPods('fargate')).toEqual([]);
    await clock.advance(1000);
    expect(await store.knownPods('fargate')).toHaveLength(1);
    await store.forget('a1', 'one', { renewUntil: NOW });
    expect(await store.knownPods('fargate')).toHaveLength(1);
    expect(await store.takeDue({ now: NOW + MINUTE, until: NOW + 2 * MINUTE, limit: 10 })).toEqual([]);
  });

  it('can fail before its work and lose an answer after it', async () => {
    const store = new FakePodStore();
    const fail = () => {
      throw new Error('no answer');
    };
    store.before = fail;
    await expect(store.wake(wakeOf('a1'))).rejects.toThrow('no answer');
    expect(store.rows()).toEqual([]);
    store.before = undefined;
    store.after = fail;
    await expect(store.wake(wakeOf('a1'))).rejects.toThrow('no answer');
    expect(store.rows()).toHaveLength(1);
  });
});

describePodStore('fake', () => new FakePodStore());
describeNodeStore('fake', () => new FakeNodeStore());
describeResourceStore('fake', () => new FakeResourceStore());
