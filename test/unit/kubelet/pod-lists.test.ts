import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../src/core/errors.ts';
import { bodyOf, KubeletWorld } from './kubelet-world.ts';

describe('/pods', () => {
  it('lists the pods bound to this node, whole', async () => {
    const world = new KubeletWorld();
    const uid = world.addPod('web');
    world.addPod('elsewhere', { node: 'vk-b' });
    const response = await world.get('/pods');
    expect(response.headers['content-type']).toBe('application/json');
    const list = JSON.parse(await bodyOf(response)) as { items: unknown[] };
    expect(list).toMatchObject({ kind: 'PodList', apiVersion: 'v1', metadata: {} });
    expect(list.items).toEqual([world.kubernetes.findPod('default', 'web')]);
    expect(list.items).toMatchObject([{ metadata: { uid }, spec: { nodeName: 'vk-a' } }]);
  });

  it('is an empty list, not null, without pods', async () => {
    expect(await bodyOf(await new KubeletWorld().get('/pods'))).toBe(
      '{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}',
    );
  });

  it('passes an error of the API server on', async () => {
    const world = new KubeletWorld();
    world.kubernetes.failNext('pods.list', new TransientError('no answer'));
    expect(await world.get('/pods')).toMatchObject({ status: 500, body: 'no answer' });
  });
});

describe('/runningpods/', () => {
  it('lists what the provider runs for this node', async () => {
    const world = new KubeletWorld();
    const web = world.addPod('web');
    await world.run(web);
    const ended = world.addPod('ended');
    world.provider.exit(await world.run(ended), 0);
    await world.run(world.addPod('elsewhere', { node: 'vk-b' }));
    const forgotten = world.addPod('forgotten');
    await world.run(forgotten);
    await world.podStore.claim(forgotten, { id: 'me', now: 0, until: 1 });
    await world.podStore.forget(forgotten, 'me', { renewUntil: 2 });

    expect(JSON.parse(await bodyOf(await world.get('/runningpods/')))).toEqual({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: {},
      items: [
        {
          metadata: { name: 'web', namespace: 'default', uid: web },
          spec: { nodeName: 'vk-a', containers: [{ name: 'app', image: 'busybox' }] },
          status: { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] },
        },
      ],
    });
  });
});
