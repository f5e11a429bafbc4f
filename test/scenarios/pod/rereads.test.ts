import { beforeEach, describe, expect, it } from 'vitest';
import { PermanentError, ThrottledError } from '../../../src/core/errors.ts';
import type { ContainerStatus } from '../../../src/model/kubernetes.ts';
import { PodWorld } from '../../support/pod-world.ts';

const BEAT = 10_000;
const MINUTE = 60_000;
const probed = { containers: [{ readinessProbe: { exec: { command: ['cat', '/tmp/ok'] } } }] };
const GENEROUS = { burst: 10_000, perSecond: 10_000 };

let world: PodWorld;

beforeEach(async () => {
  world = await PodWorld.create();
  world.provider.limit({ launch: GENEROUS, modify: GENEROUS, read: GENEROUS });
});

/** So many pods with a readiness probe, all of them running and not ready yet. */
const addProbed = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1)
    world.kubernetes.addPod(world.aPod({ name: `web-${index}`, ...probed }));
  await world.settle();
  for (const { id } of world.provider.live()) {
    world.provider.setHealth(id, 'unknown', { silently: true });
    world.provider.run(id);
  }
  await world.settle();
  await world.pass(BEAT);
};

/** Calls of the provider, and claims of pods, while so much time passes. */
const during = async (ms: number): Promise<{ readonly described: number; readonly claims: number }> => {
  const before = world.provider.calls.length;
  let claims = 0;
  world.podStore.before = (method) => void (/claim/i.test(method) && (claims += 1));
  await world.pass(ms);
  world.podStore.before = undefined;
  return { described: world.provider.calls.slice(before).filter((call) => call === 'describe').length, claims };
};

const main = (name = 'web-0'): ContainerStatus | undefined => world.status(name).containerStatuses?.[0];

describe('health', () => {
  it('T-06 of 200 pods is read by two calls a beat, and nobody works on a pod that is as it was', async () => {
    await addProbed(200);
    expect(await during(6 * BEAT)).toEqual({ described: 12, claims: 0 });
  });

  it('that has changed is told with the beat that finds it out', async () => {
    await addProbed(3);
    const [first] = world.provider.live();
    world.provider.setHealth(first?.id ?? '', 'healthy', { silently: true });
    expect((await during(BEAT)).claims).toBe(1);
    expect(main()?.ready).toBe(true);
    expect(main('web-1')?.ready).toBe(false);
  });

  it('is read again with every beat, though what the beats start takes a moment', async () => {
    await addProbed(1);
    const { id } = world.workload;
    world.provider.hook = (method, when) =>
      method === 'describe' && when === 'before' ? world.clock.sleep(700) : undefined;
    const beat = async (): Promise<void> => {
      const started = world.timers.startDue(new AbortController().signal);
      await world.clock.advance(3_000);
      await started;
      await world.settle();
      await world.clock.advance(7_000);
    };
    await beat();
    const before = world.provider.calls.length;
    for (let beats = 0; beats < 6; beats += 1) await beat();
    expect(world.provider.calls.slice(before)).toEqual(Array.from({ length: 6 }, () => 'describe'));
    expect(world.provider.get(id).phase).toBe('running');
  });

  it('that is bad wakes nobody before the patience with it is at its end', async () => {
    await world.addPod({
      containers: [{ livenessProbe: { exec: { command: ['true'] }, periodSeconds: 10, failureThreshold: 12 } }],
    });
    const { id } = world.workload;
    await world.happens(() => world.provider.run(id));
    world.provider.setHealth(id, 'unhealthy', { silently: true });
    await world.pass(2 * BEAT);
    expect(await during(7 * BEAT)).toEqual({ described: 7, claims: 0 });
    expect(world.provider.get(id).stopping).toBe(false);
    await world.pass(3 * BEAT);
    expect(world.provider.get(id).stopping).toBe(true);
  });

  it('that cannot be read for a while changes nothing, wakes nobody, and is asked for with the next beat', async () => {
    await addProbed(2);
    let isThrottled = true;
    world.provider.hook = (method, when) => {
      if (isThrottled && method === 'describe' && when === 'before') throw new ThrottledError('Rate exceeded');
    };
    expect(await during(3 * BEAT)).toEqual({ described: 3, claims: 0 });
    isThrottled = false;
    for (const { id } of world.provider.live()) world.provider.setHealth(id, 'healthy', { silently: true });
    await world.pass(BEAT);
    expect(main()?.ready).toBe(true);
  });

  it('that whoever beats may not read is read by the workers', async () => {
    await addProbed(1);
    let denied = true;
    world.provider.hook = (method, when) => {
      if (method !== 'describe' || when !== 'before' || !denied) return;
      denied = false;
      throw new PermanentError('ECS DescribeTasks: AccessDeniedException');
    };
    world.provider.setHealth(world.workload.id, 'healthy', { silently: true });
    await world.pass(BEAT);
    expect(main()?.ready).toBe(true);
  });
});

describe('a pod that runs', () => {
  it('and is silent is read again every five minutes, and worked on only where that brings news', async () => {
    await world.addPod();
    await world.happens(() => world.provider.run(world.workload.id));
    await world.pass(BEAT);
    expect(await during(20 * MINUTE)).toEqual({ described: 4, claims: 0 });
    world.notifies = false;
    world.provider.exit(world.workload.id, 1);
    await world.pass(5 * MINUTE);
    expect(world.status().containerStatuses?.[0]).toMatchObject({ lastState: { terminated: { exitCode: 1 } } });
  });

  it('does not miss its deadline for being read again until then', async () => {
    await world.addPod({ ...probed, activeDeadlineSeconds: 95, restartPolicy: 'Never' });
    await world.happens(() => world.provider.run(world.workload.id));
    world.provider.setHealth(world.workload.id, 'healthy', { silently: true });
    await world.pass(90_000);
    expect(world.status().phase).toBe('Running');
    await world.pass(BEAT);
    expect(world.status()).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });

  it('is not put off by what was read before somebody woke it', async () => {
    await addProbed(1);
    world.provider.hook = async (method, when) => {
      if (method !== 'describe' || when !== 'after') return;
      world.provider.hook = () => {};
      world.kubernetes.deletePod('default', 'web-0');
      await world.controllerAtWork(world.pod('web-0'));
    };
    await world.pass(BEAT);
    await world.settle();
    expect(world.provider.live()).toEqual([]);
    expect(world.kubernetes.findPod('default', 'web-0')).toBeUndefined();
  });
});
