import { describe, expect, it } from 'vitest';
import { ThrottledError, TransientError } from '../../../src/core/errors.ts';
import { NODE, PodWorld } from '../../support/pod-world.ts';

/** The worker that makes this call never gets an answer again. */
const dies = (): Promise<never> => new Promise(() => {});

const MINUTE = 60_000;

describe('launching a pod', () => {
  it('C-01 a lost answer and the request sent again start one task', async () => {
    const world = await PodWorld.create();
    world.notifies = false;
    world.provider.faults.nextLaunch({ kind: 'lost-answer' });
    const { metadata } = await world.addPod();
    expect(world.state(metadata?.uid).attempts).toMatchObject([{ attempt: 1, try: 1, launch: { unknown: true } }]);
    await world.pass(20_000);
    expect(world.provider.workloads()).toHaveLength(1);
    expect(world.state(metadata?.uid).attempts).toMatchObject([{ attempt: 1, try: 1, workloadId: world.workload.id }]);
  });

  it('an event settles what no answer did', async () => {
    const world = await PodWorld.create();
    world.provider.faults.nextLaunch({ kind: 'lost-answer' });
    const { metadata } = await world.addPod();
    expect(world.state(metadata?.uid).attempts[0]?.workloadId).toBe(world.workload.id);
    expect(world.provider.calls.filter((call) => call === 'launch')).toHaveLength(1);
  });

  it('a refusal after an unanswered request settles nothing: the token stays', async () => {
    const world = await PodWorld.create();
    world.notifies = false;
    const refused = { kind: 'refused', cause: 'capacity', final: true, message: 'RESOURCE:CPU' } as const;
    world.provider.faults.nextLaunch({ kind: 'lost-request' }, refused);
    const { metadata } = await world.addPod();
    await world.pass(10_000);
    expect(world.status().reason).toBe('OutOfCapacity');
    expect(world.state(metadata?.uid).attempts).toMatchObject([{ try: 1, launch: { unknown: true } }]);
    await world.pass(5 * MINUTE);
    expect(world.workload).toMatchObject({ attempt: 1, try: 1 });
  });

  it('never answered: looked up before an hour is over, then launched under the next token', async () => {
    const world = await PodWorld.create();
    for (let times = 0; times < 60; times += 1) world.provider.faults.nextLaunch({ kind: 'lost-request' });
    await world.addPod();
    await world.pass(40 * MINUTE);
    const sent = world.provider.calls.filter((call) => call === 'launch').length;
    await world.pass(8 * MINUTE);
    expect(world.provider.calls.filter((call) => call === 'launch')).toHaveLength(sent);
    expect(world.provider.calls).not.toContain('find');
    for (;;) if (!world.provider.faults.takeLaunch()) break;
    await world.pass(4 * MINUTE);
    expect(world.provider.calls).toContain('find');
    expect(world.workload).toMatchObject({ attempt: 1, try: 2 });
  });

  it('never answered and never looked up in time: the pod is lost, not launched again', async () => {
    const world = await PodWorld.create();
    for (let times = 0; times < 60; times += 1) world.provider.faults.nextLaunch({ kind: 'lost-request' });
    await world.addPod({ restartPolicy: 'Never' });
    await world.pass(40 * MINUTE);
    world.provider.hook = (method) => {
      if (method === 'find') throw new TransientError('ECS is unavailable');
    };
    await world.pass(30 * MINUTE);
    world.provider.hook = () => {};
    await world.pass(10 * MINUTE);
    expect(world.status()).toMatchObject({ phase: 'Failed', reason: 'TaskLost' });
    expect(world.provider.workloads()).toEqual([]);
  });

  it.each([
    { point: 'before the intent is written', store: ['save', 'before'], launches: 1 },
    { point: 'after the intent, before the request', store: ['save', 'after'], launches: 1 },
    { point: 'once the request has arrived', provider: ['launch', 'after'], launches: 2 },
    { point: 'before the request leaves', provider: ['launch', 'before'], launches: 2 },
    { point: 'after the outcome is written', store: ['release', 'before'], launches: 1 },
  ] as const)('dies $point: one task all the same', async (where) => {
    const world = await PodWorld.create();
    world.notifies = false;
    let armed = true;
    const strike = (method: string, when: string): void | Promise<void> => {
      const [at, side] = 'store' in where ? where.store : where.provider;
      if (!armed || method !== at || when !== side) return;
      armed = false;
      return dies();
    };
    if ('store' in where) {
      world.podStore.before = (method) => strike(method, 'before');
      world.podStore.after = (method) => strike(method, 'after');
    } else world.provider.hook = strike;

    await world.addPodAndDie();
    expect(armed).toBe(false);
    await world.pass(12 * MINUTE);
    expect(world.provider.workloads()).toHaveLength(1);
    expect(world.provider.calls.filter((call) => call === 'launch')).toHaveLength(where.launches);
    await world.happens(() => world.provider.run(world.workload.id));
    await world.pass(6 * MINUTE);
    expect(world.status().phase).toBe('Running');
  });

  it('C-06 a holder stalled past its claim sends nothing any more', async () => {
    const world = await PodWorld.create();
    world.podStore.after = async (method) => {
      if (method === 'save') await world.clock.sleep(45_000);
    };
    const pod = world.kubernetes.addPod(world.aPod());
    const stalled = world.controllerAtWork(pod);
    await world.clock.advance(46_000);
    await stalled;
    expect(world.provider.calls).not.toContain('launch');
    expect(world.provider.workloads()).toEqual([]);
  });

  it('the row has gone while the request was out: the task just started is stopped', async () => {
    const world = await PodWorld.create();
    world.notifies = false;
    world.provider.hook = (method, when) => {
      if (method === 'launch' && when === 'after') world.podStore.clear();
    };
    await world.addPod();
    expect(world.provider.workloads()).toMatchObject([{ phase: 'stopped' }]);
  });

  it('a final refusal moves to the next token and keeps the pod Pending, readably', async () => {
    const world = await PodWorld.create();
    world.provider.faults.nextLaunch({
      kind: 'refused',
      cause: 'capacity',
      final: true,
      message: 'Capacity is unavailable',
    });
    await world.addPod();
    expect(world.status()).toMatchObject({
      phase: 'Pending',
      reason: 'OutOfCapacity',
      message: 'there is no capacity for this pod at the moment; it is tried again: Capacity is unavailable',
    });
    expect(world.status()).not.toHaveProperty('startTime');
    await world.pass(10_000);
    expect(world.workload).toMatchObject({ attempt: 1, try: 2 });
    expect(world.status()).not.toHaveProperty('reason');
  });

  it('a throttled launch keeps its token', async () => {
    const world = await PodWorld.create();
    world.provider.faults.nextLaunch({ kind: 'refused', cause: 'throttled', final: false, message: 'Rate exceeded' });
    await world.addPod();
    expect(world.status().reason).toBe('Throttled');
    await world.pass(10_000);
    expect(world.workload).toMatchObject({ attempt: 1, try: 1 });
  });

  it('a throttled preparation is tried again', async () => {
    const world = await PodWorld.create();
    world.provider.faults.failNext('provision', new ThrottledError('Rate exceeded'));
    await world.addPod();
    expect(world.status().reason).toBe('Throttled');
    await world.pass(10_000);
    expect(world.workload.attempt).toBe(1);
  });

  it('three pods refused for want of capacity take the node out for five minutes, one success brings it back', async () => {
    const world = await PodWorld.create();
    const refused = { kind: 'refused', cause: 'capacity', final: true, message: 'm' } as const;
    world.provider.faults.nextLaunch(refused, refused);
    await world.addPod({ name: 'a' });
    await world.addPod({ name: 'b' });
    expect(await world.nodeStore.get(NODE)).not.toHaveProperty('outOfCapacityUntil');
    world.provider.faults.nextLaunch(refused);
    await world.addPod({ name: 'c' });
    expect((await world.nodeStore.get(NODE))?.outOfCapacityUntil).toBe(world.clock.now() + 5 * MINUTE);
    await world.pass(10_000);
    expect(await world.nodeStore.get(NODE)).not.toHaveProperty('outOfCapacityUntil');
    expect(await world.nodeStore.get(NODE)).not.toHaveProperty('refusals');
  });

  it('one answer about the quota is enough', async () => {
    const world = await PodWorld.create();
    world.provider.faults.nextLaunch({ kind: 'refused', cause: 'quota', final: true, message: 'vCPU limit' });
    await world.addPod();
    expect((await world.nodeStore.get(NODE))?.outOfCapacityUntil).toBe(world.clock.now() + 5 * MINUTE);
    expect(world.status().reason).toBe('QuotaExceeded');
  });

  it('L-10 waits for a Secret that comes five seconds after the pod', async () => {
    const world = await PodWorld.create();
    const env = [{ name: 'PW', valueFrom: { secretKeyRef: { name: 'db', key: 'pw' } } }];
    await world.addPod({ containers: [{ env }] });
    expect(world.status().containerStatuses?.[0]?.state?.waiting).toMatchObject({
      reason: 'CreateContainerConfigError',
    });
    expect(world.events().some((event) => event.startsWith('MandatorySecretNotFound'))).toBe(true);
    world.kubernetes.putSecret('default', 'db', { pw: 'geheim' });
    await world.pass(10_000);
    expect(world.workload.attempt).toBe(1);
    expect(JSON.stringify(world.podStore.rows())).not.toContain('geheim');
  });

  it('C-04 two workers at once launch once', async () => {
    const world = await PodWorld.create();
    const pod = world.kubernetes.addPod(world.aPod());
    await Promise.all([world.controllerAtWork(pod), world.controllerAtWork(pod), world.settle()]);
    expect(world.provider.calls.filter((call) => call === 'launch')).toHaveLength(1);
  });

  it('launches nothing on a node that is not adopted, and everything afterwards', async () => {
    const world = await PodWorld.create();
    await world.nodeStore.put(NODE, { adoptedAt: undefined });
    await world.addPod();
    await world.pass(60_000);
    expect(world.provider.workloads()).toEqual([]);
    await world.adoption.adopt(NODE, new AbortController().signal);
    await world.pass(60_000);
    expect(world.provider.live()).toHaveLength(1);
  });

  it('a late event for a forgotten pod makes nothing', async () => {
    const world = await PodWorld.create();
    world.provider.plant({ ...exampleWorkload, podUid: 'nobody' });
    await world.settle();
    expect(world.podStore.rows()).toEqual([]);
  });
});

const exampleWorkload = {
  id: 'fake/nobody',
  attempt: 1,
  try: 1,
  version: 3,
  phase: 'running',
  stopping: false,
  ips: [],
  containers: [],
} as const;
