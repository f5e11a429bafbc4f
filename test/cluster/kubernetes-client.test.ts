import { afterAll, beforeAll, expect, it } from 'vitest';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { watch } from '../../src/adapters/kubernetes/watch.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import type { ConfigMap } from '../../src/model/kubernetes.ts';
import { clientWorld } from '../contract/kubernetes/client-world.ts';
import { describeKubernetes } from '../contract/kubernetes/describe-kubernetes.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';

const { signal } = new AbortController();
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
let plane: ControlPlane | undefined;

const connect = async (): Promise<KubernetesClient> => {
  if (!plane) throw new Error('the control plane does not run');
  return new KubernetesClient(await credentialsFromKubeconfig(plane.kubeconfig), { clock: new SystemClock() });
};

beforeAll(async () => {
  plane = await startControlPlane({ controllers: false });
});
afterAll(() => plane?.remove());

describeKubernetes('kube-apiserver', async () => clientWorld(await connect(), async () => undefined));

it('reads a list of more than one page', async () => {
  const client = await connect();
  const before = await client.list<ConfigMap>(CONFIG_MAPS, { signal });
  for (let batch = 0; batch < 51; batch += 1)
    await Promise.all(
      Array.from({ length: 10 }, () => client.create(CONFIG_MAPS, { metadata: { generateName: 'page-' } }, { signal })),
    );
  expect((await client.list<ConfigMap>(CONFIG_MAPS, { signal })).items).toHaveLength(before.items.length + 510);
  client.close();
});

it('watches from the version of a list to the end the server sets', async () => {
  const client = await connect();
  const { resourceVersion } = await client.list<ConfigMap>(CONFIG_MAPS, { signal });
  const options = { signal, resourceVersion, timeoutSeconds: 2 };
  await client.create(CONFIG_MAPS, { metadata: { name: 'watched' }, data: { a: '1' } }, { signal });
  await client.patch(`${CONFIG_MAPS}/watched`, 'merge', { data: { a: '2' } }, { signal });
  await client.patch(`${CONFIG_MAPS}/watched`, 'json', [{ op: 'remove', path: '/data/a' }], { signal });
  const applied = { apiVersion: 'v1', kind: 'ConfigMap', data: { b: '3' } };
  await client.patch(`${CONFIG_MAPS}/watched`, 'apply', applied, { signal, query: { fieldManager: 'test' } });
  await client.delete(`${CONFIG_MAPS}/watched`, { signal });

  const seen: unknown[] = [];
  for await (const event of watch<ConfigMap>(client, CONFIG_MAPS, options))
    if ('object' in event) seen.push([event.type, event.object.data]);
  expect(seen).toEqual([
    ['ADDED', { a: '1' }],
    ['MODIFIED', { a: '2' }],
    ['MODIFIED', undefined],
    ['MODIFIED', { b: '3' }],
    ['DELETED', { b: '3' }],
  ]);
  client.close();
});

it('outlives a restart of the API server', async () => {
  const client = await connect();
  await client.get('/version', { signal });
  await plane?.restart();
  expect(await client.get<{ readonly major: string }>('/version', { signal })).toMatchObject({ major: '1' });
  client.close();
});
