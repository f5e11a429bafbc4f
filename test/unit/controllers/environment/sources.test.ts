import { describe, expect, it } from 'vitest';
import { sourcesOf } from '../../../../src/controllers/pod/environment/environment-sources.ts';
import { fetchSources } from '../../../../src/controllers/pod/environment/fetch-sources.ts';
import { serviceVariables } from '../../../../src/controllers/pod/environment/service-variables.ts';
import { NotFoundError, PermanentError, TransientError } from '../../../../src/core/errors.ts';
import type { Pod, Service } from '../../../../src/model/kubernetes.ts';
import type { SourcesApi } from '../../../../src/ports/kubernetes.ts';

const pod: Pod = {
  metadata: { name: 'p', namespace: 'shop' },
  spec: {
    initContainers: [{ name: 'init', envFrom: [{ secretRef: { name: 'for-init' } }] }],
    containers: [
      {
        name: 'main',
        envFrom: [{ configMapRef: { name: 'b' } }, { configMapRef: { name: 'a' } }],
        env: [
          { name: 'X', valueFrom: { configMapKeyRef: { name: 'a', key: 'x' } } },
          { name: 'Y', valueFrom: { secretKeyRef: { name: 'keys', key: 'y' } } },
        ],
      },
    ],
  },
};

describe('sourcesOf', () => {
  it('names every object once, sorted', () => {
    expect(sourcesOf(pod)).toEqual({ configMaps: ['a', 'b'], secrets: ['for-init', 'keys'], services: true });
  });

  it('asks for no services where the pod wants no links', () => {
    expect(sourcesOf({ spec: { enableServiceLinks: false, containers: [] } }).services).toBe(false);
  });
});

describe('fetchSources', () => {
  const kubernetes: Service = { metadata: { name: 'kubernetes', namespace: 'default' } };
  const api = (overrides: Partial<SourcesApi>): SourcesApi => ({
    configMap: async (_, name) => ({ metadata: { name } }),
    secret: async (_, name) => ({ metadata: { name } }),
    services: async (namespace) => [{ metadata: { name: 'db', namespace } }],
    service: async () => kubernetes,
    ...overrides,
  });
  const { signal } = new AbortController();

  it('tells found, missing and forbidden apart', async () => {
    const fetched = await fetchSources(
      pod,
      api({
        configMap: async (_, name) => {
          if (name === 'a') throw new NotFoundError('no');
          return { metadata: { name } };
        },
        secret: async (_, name) => {
          if (name === 'keys') throw new PermanentError('forbidden');
          return { metadata: { name } };
        },
      }),
      signal,
    );
    expect(fetched).toEqual({
      configMaps: { a: { kind: 'not-found' }, b: { kind: 'found', object: { metadata: { name: 'b' } } } },
      secrets: {
        'for-init': { kind: 'found', object: { metadata: { name: 'for-init' } } },
        keys: { kind: 'unreadable', message: 'forbidden' },
      },
      services: [{ metadata: { name: 'db', namespace: 'shop' } }, kubernetes],
    });
  });

  it('rejects where a fault says nothing about the pod', async () => {
    const faulty = api({ secret: () => Promise.reject(new TransientError('time-out')) });
    await expect(fetchSources(pod, faulty, signal)).rejects.toThrow(TransientError);
  });
});

describe('serviceVariables', () => {
  const service = (name: string, spec: Service['spec'], namespace = 'shop'): Service => ({
    metadata: { name, namespace },
    ...(spec && { spec }),
  });
  const api = service('kubernetes', { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443 }] }, 'default');

  it('makes host, ports and links', () => {
    const redis = service('my-redis', {
      clusterIP: '10.0.0.11',
      ports: [
        { name: 'main-port', port: 6379, protocol: 'TCP' },
        { name: 'stats', port: 9000, protocol: 'UDP' },
      ],
    });
    expect(Object.fromEntries(serviceVariables([redis], { namespace: 'shop', links: true }))).toEqual({
      MY_REDIS_SERVICE_HOST: '10.0.0.11',
      MY_REDIS_SERVICE_PORT: '6379',
      MY_REDIS_SERVICE_PORT_MAIN_PORT: '6379',
      MY_REDIS_SERVICE_PORT_STATS: '9000',
      MY_REDIS_PORT: 'tcp://10.0.0.11:6379',
      MY_REDIS_PORT_6379_TCP: 'tcp://10.0.0.11:6379',
      MY_REDIS_PORT_6379_TCP_PROTO: 'tcp',
      MY_REDIS_PORT_6379_TCP_PORT: '6379',
      MY_REDIS_PORT_6379_TCP_ADDR: '10.0.0.11',
      MY_REDIS_PORT_9000_UDP: 'udp://10.0.0.11:9000',
      MY_REDIS_PORT_9000_UDP_PROTO: 'udp',
      MY_REDIS_PORT_9000_UDP_PORT: '9000',
      MY_REDIS_PORT_9000_UDP_ADDR: '10.0.0.11',
    });
  });

  it('puts IPv6 addresses into brackets in URLs only', () => {
    const v6 = service('six', { clusterIP: 'fd00::1', ports: [{ port: 80 }] });
    expect(Object.fromEntries(serviceVariables([v6], { namespace: 'shop', links: true }))).toMatchObject({
      SIX_SERVICE_HOST: 'fd00::1',
      SIX_PORT: 'tcp://[fd00::1]:80',
    });
  });

  it('leaves out services without a cluster IP, and survives one without ports', () => {
    const services = [
      service('headless', { clusterIP: 'None', ports: [{ port: 80 }] }),
      service('external', { externalName: 'example.com' }),
      service('bare', { clusterIP: '10.0.0.1' }),
    ];
    expect(serviceVariables(services, { namespace: 'shop', links: true })).toEqual([['BARE_SERVICE_HOST', '10.0.0.1']]);
  });

  it('keeps only the API server without links', () => {
    const services = [service('db', { clusterIP: '10.0.0.1', ports: [{ port: 1 }] }), api];
    const names = serviceVariables(services, { namespace: 'shop', links: false }).map(([name]) => name);
    expect(names).toHaveLength(8);
    expect(names.every((name) => name.startsWith('KUBERNETES_'))).toBe(true);
  });

  it('leaves out services of other namespaces', () => {
    const other = service('db', { clusterIP: '10.0.0.1', ports: [{ port: 1 }] }, 'other');
    expect(serviceVariables([other], { namespace: 'shop', links: true })).toEqual([]);
  });

  it('lets a service of the own namespace hide the API server, in any order', () => {
    const own = service('kubernetes', { clusterIP: '10.0.0.9', ports: [{ port: 1 }] });
    for (const services of [
      [own, api],
      [api, own],
    ]) {
      expect(serviceVariables(services, { namespace: 'shop', links: true })).toContainEqual([
        'KUBERNETES_SERVICE_HOST',
        '10.0.0.9',
      ]);
    }
  });
});
