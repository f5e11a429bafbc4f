import { describe, expect, it } from 'vitest';
import { CachedPods } from '../../../../src/controllers/watch/cached-pods.ts';
import { CachedSources, ServiceCache } from '../../../../src/controllers/watch/cached-sources.ts';
import { PodCache } from '../../../../src/controllers/watch/pod-cache.ts';
import { ConflictError, NotFoundError, TransientError } from '../../../../src/core/errors.ts';
import type { Service } from '../../../../src/model/kubernetes.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { FakeKubernetes } from '../../../fakes/kubernetes/fake-kubernetes.ts';
import { aPod } from '../../../support/a-pod.ts';

const SIGNAL = new AbortController().signal;

const world = () => {
  const clock = new FakeClock();
  const kubernetes = new FakeKubernetes({ clock });
  const pod = kubernetes.addPod(aPod());
  const cache = new PodCache(clock);
  cache.replace([pod]);
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = pod.metadata ?? {};
  return {
    kubernetes,
    cache,
    pods: new CachedPods(kubernetes.pods, cache),
    identity: { namespace, name, uid },
    version: resourceVersion,
    reads: () => kubernetes.count('pods.get'),
  };
};

describe('pods', () => {
  it('that are watched cost no request', async () => {
    const { pods, kubernetes } = world();
    expect((await pods.get('default', 'web', SIGNAL)).metadata?.name).toBe('web');
    expect(await pods.list()).toHaveLength(1);
    expect((await pods.listMetadata())[0]?.metadata.name).toBe('web');
    expect(kubernetes.calls).toEqual([]);
  });

  it('that are not are read at the server: not being known proves nothing', async () => {
    const { pods, reads } = world();
    await expect(pods.get('default', 'other', SIGNAL)).rejects.toBeInstanceOf(NotFoundError);
    expect(reads()).toBe(1);
  });

  it('show our own writes at once', async () => {
    const { pods, identity, version, reads } = world();
    await pods.patchStatus(identity, version, { message: 'ours' }, SIGNAL);
    expect((await pods.get('default', 'web', SIGNAL)).status?.message).toBe('ours');
    expect(reads()).toBe(0);
  });

  it('are read at the server after a conflict, once', async () => {
    const { pods, kubernetes, identity, reads } = world();
    kubernetes.updatePod('default', 'web', (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { a: 'b' } } }));
    await expect(pods.patchStatus(identity, '0', { message: 'x' }, SIGNAL)).rejects.toBeInstanceOf(ConflictError);
    expect((await pods.get('default', 'web', SIGNAL)).metadata?.labels).toEqual({ a: 'b' });
    await pods.get('default', 'web', SIGNAL);
    expect(reads()).toBe(1);
  });

  it('are not doubted for a server that does not answer', async () => {
    const { pods, kubernetes, identity, version, reads } = world();
    kubernetes.failNext('pods.patchStatus', new TransientError('no answer'));
    await expect(pods.patchStatus(identity, version, { message: 'x' }, SIGNAL)).rejects.toThrow('no answer');
    await pods.get('default', 'web', SIGNAL);
    expect(reads()).toBe(0);
  });

  it('are gone for certain once we have deleted them without a grace period', async () => {
    const { pods, cache, identity } = world();
    await pods.delete(identity, { graceSeconds: 30 }, SIGNAL);
    expect(cache.isDeleted(identity.uid)).toBe(false);
    await pods.delete(identity, { graceSeconds: 0 }, SIGNAL);
    expect(cache.isDeleted(identity.uid)).toBe(true);
  });
});

describe('services', () => {
  const service = (namespace: string, name: string): Service => ({ metadata: { namespace, name } });
  const sources = () => {
    const kubernetes = new FakeKubernetes();
    kubernetes.putService(service('default', 'kubernetes'));
    const cache = new ServiceCache();
    return { kubernetes, cache, sources: new CachedSources(kubernetes.sources, cache) };
  };
  const names = (services: readonly Service[]) => services.map(({ metadata }) => metadata?.name);

  it('are read at the server until they have been listed', async () => {
    const { kubernetes, cache, sources: cached } = sources();
    expect(names(await cached.services('default', SIGNAL))).toEqual(['kubernetes']);
    cache.replaced([service('default', 'kubernetes'), service('default', 'db'), service('other', 'api')]);
    expect(names(await cached.services('default', SIGNAL))).toEqual(['kubernetes', 'db']);
    expect(names(await cached.services('none', SIGNAL))).toEqual([]);
    expect((await cached.service('other', 'api', SIGNAL)).metadata?.name).toBe('api');
    expect(kubernetes.calls.map(({ method }) => method)).toEqual(['sources.services']);
  });

  it('follow the watch', async () => {
    const { cache, sources: cached } = sources();
    cache.replaced([service('default', 'db')]);
    cache.changed('ADDED', service('default', 'api'));
    cache.changed('DELETED', service('default', 'db'));
    expect(names(await cached.services('default', SIGNAL))).toEqual(['api']);
    cache.replaced([]);
    expect(names(await cached.services('default', SIGNAL))).toEqual([]);
  });

  it('that are not there are asked for at the server', async () => {
    const { cache, sources: cached } = sources();
    cache.replaced([]);
    expect((await cached.service('default', 'kubernetes', SIGNAL)).metadata?.name).toBe('kubernetes');
    await expect(cached.service('default', 'none', SIGNAL)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('are all that is kept: Secrets and ConfigMaps are read each time', async () => {
    const { kubernetes, sources: cached } = sources();
    kubernetes.putSecret('default', 's', { a: 'b' });
    kubernetes.putConfigMap('default', 'c', { a: 'b' });
    for (let time = 0; time < 2; time += 1) {
      await cached.secret('default', 's', SIGNAL);
      await cached.configMap('default', 'c', SIGNAL);
    }
    expect([kubernetes.count('sources.secret'), kubernetes.count('sources.configMap')]).toEqual([2, 2]);
  });
});
