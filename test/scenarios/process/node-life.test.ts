import { describe, expect, it } from 'vitest';
import { PermanentError, TransientError } from '../../../src/core/errors.ts';
import { NODE, ProcessWorld } from './process-world.ts';

const readyOf = (world: ProcessWorld): string | undefined =>
  world.kubernetes.findNode(NODE)?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;

describe('a node', () => {
  it('is Ready with its first write', async () => {
    const world = new ProcessWorld();
    await world.start();
    expect(readyOf(world)).toBe('True');
    expect(
      world.kubernetes.calls.map(({ method }) => method).filter((method) => /^(nodes|leases)/.test(method)),
    ).toEqual(['nodes.get', 'nodes.create', 'leases.get', 'leases.create']);
    await world.stop();
  });

  it('idles at seven requests a minute', async () => {
    const world = new ProcessWorld();
    await world.start();
    await world.pass(5_000);
    for (let minute = 0; minute < 10; minute += 1) {
      world.kubernetes.clearCalls();
      await world.pass(60_000);
      const methods = world.kubernetes.calls.map(({ method }) => method);
      expect(methods.filter((method) => method === 'leases.renew')).toHaveLength(6);
      expect(methods.filter((method) => method === 'nodes.patchStatus')).toHaveLength(1);
      expect(methods).toHaveLength(7);
    }
    await world.stop();
  });

  it('keeps its lease younger than eleven seconds', async () => {
    const world = new ProcessWorld();
    await world.start();
    let oldest = 0;
    for (let second = 0; second < 180; second += 1) {
      await world.pass(1_000);
      const renewed = Date.parse(world.kubernetes.findLease(NODE)?.spec?.renewTime ?? '');
      oldest = Math.max(oldest, world.clock.now() - renewed);
    }
    expect(oldest).toBeLessThan(11_000);
    await world.stop();
  });

  it('that somebody deletes is there again within a minute, with its lease', async () => {
    const world = new ProcessWorld();
    await world.start();
    world.kubernetes.deleteNode(NODE);
    await world.pass(11_000);
    expect(world.kubernetes.findLease(NODE)?.spec?.holderIdentity).toBe(NODE);
    expect(readyOf(world)).toBe('True');
    const uid = world.kubernetes.findNode(NODE)?.metadata?.uid;
    await world.pass(60_000);
    expect(world.kubernetes.findLease(NODE)?.metadata?.ownerReferences?.map((owner) => owner.uid)).toEqual([uid]);
    await world.stop();
  });

  it('whose taint somebody takes away has it back within a minute', async () => {
    const world = new ProcessWorld();
    const taints = [{ key: 'virtual-kubelet.io/provider', value: 'mock', effect: 'NoSchedule' }];
    await world.start({
      definition: { name: NODE, architecture: 'amd64', capacity: { cpu: '1', memory: '1Gi', pods: 1 }, taints },
    });
    world.kubernetes.updateNode(NODE, (node) => ({ ...node, spec: { ...node.spec, taints: [] } }));
    await world.pass(61_000);
    expect(world.kubernetes.findNode(NODE)?.spec?.taints).toEqual(taints);
    await world.stop();
  });

  it('tells after a minute that its provider does not answer, and after five that it is not Ready', async () => {
    const world = new ProcessWorld();
    await world.start();
    world.provider.hook = (method) => {
      if (method === 'ping') throw new TransientError('no answer');
    };
    await world.pass(60_000);
    expect(readyOf(world)).toBe('True');
    await world.pass(360_000);
    expect(readyOf(world)).toBe('False');
    world.provider.hook = () => undefined;
    await world.pass(60_000);
    expect(readyOf(world)).toBe('True');
    await world.stop();
  });

  it('is tried again while the API server does not answer', async () => {
    const world = new ProcessWorld();
    for (let time = 0; time < 4; time += 1) world.kubernetes.failNext('nodes.get', new TransientError('no answer'));
    await world.start();
    expect(readyOf(world)).toBeUndefined();
    await world.pass(5_000);
    expect([readyOf(world), world.isReady]).toEqual(['True', true]);
    await world.stop();
  });

  it('of somebody else is left alone, and the process ends', async () => {
    const world = new ProcessWorld();
    world.kubernetes.addNode({ metadata: { name: NODE, annotations: { 'svk.dev/deployment': 'other' } } });
    await world.start();
    await expect(world.ended).rejects.toBeInstanceOf(PermanentError);
    await expect(world.ended).rejects.toThrow(/node fargate exists and is not of deployment svk/);
  });
});

describe('the end', () => {
  it('leaves the node, as virtual-kubelet does', async () => {
    const world = new ProcessWorld();
    await world.start();
    await world.stop();
    expect(world.kubernetes.findNode(NODE)).toBeDefined();
  });

  it('takes the node along where that is wanted', async () => {
    const world = new ProcessWorld();
    await world.start({ deleteNode: true });
    await world.stop();
    expect(world.kubernetes.findNode(NODE)).toBeUndefined();
  });

  it('lets work in progress finish', async () => {
    const world = new ProcessWorld();
    await world.start();
    world.provider.hook = async (method, when) => {
      if (method === 'launch' && when === 'before') await world.clock.sleep(5_000);
    };
    const pod = await world.addPod();
    const stopping = world.stop();
    await world.pass(5_000);
    await stopping;
    expect(world.phase()).toBe('Running');
    expect((await world.podStore.get(pod.metadata?.uid ?? ''))?.claim).toBeUndefined();
  });

  it('does not wait for ever', async () => {
    const world = new ProcessWorld();
    await world.start({ drainMs: 3_000 });
    world.provider.hook = async (method, when) => {
      if (method === 'launch' && when === 'before') await new Promise(() => undefined);
    };
    await world.addPod();
    const stopping = world.stop();
    await world.pass(70_000);
    await stopping;
    expect(world.logger.lines.map(({ message }) => message)).toContain(
      'work was left behind: whoever starts next takes it up',
    );
  });

  it('comes at once, however far it had come', async () => {
    const world = new ProcessWorld();
    for (let time = 0; time < 100; time += 1) world.provider.faults.failNext('list', new TransientError('no answer'));
    await world.start();
    expect(world.isReady).toBe(false);
    await world.stop();
  });

  it('leaves nothing behind that goes on', async () => {
    const world = new ProcessWorld();
    await world.start();
    await world.addPod();
    await world.stop();
    world.kubernetes.clearCalls();
    await world.pass(600_000);
    expect(world.kubernetes.calls).toEqual([]);
  });
});

describe('health', () => {
  it('is well while the lease is renewed, and not any more when it is not', async () => {
    const world = new ProcessWorld();
    await world.start();
    const check = async (): Promise<void> => {
      for (const { check: run } of world.process?.healthChecks ?? []) await run(new AbortController().signal);
    };
    await check();
    world.kubernetes.beforeEach(({ method }) => {
      if (method === 'leases.renew') throw new TransientError('no answer');
    });
    await world.pass(30_000);
    await check();
    await world.pass(30_000);
    await expect(check()).rejects.toThrow('the lease of the node was not renewed in time');
    await world.stop();
  });
});
