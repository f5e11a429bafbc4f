import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ignoreNotFound } from '../../src/core/errors.ts';
import type { Pod } from '../../src/model/kubernetes.ts';
import { waitFor } from '../support/local-cloud.ts';
import { NODE, PODS, SvkRunWorld } from './svk-run-world.ts';
import { takenPort } from './taken-port.ts';

const { signal } = new AbortController();

let world: SvkRunWorld;
beforeAll(async () => {
  world = await SvkRunWorld.create();
});
afterEach(() => world.clear());
afterAll(() => world.close());

const addPod = (name: string): Promise<Pod> =>
  world.client.create<Pod>(
    PODS,
    { metadata: { name }, spec: { nodeName: NODE, containers: [{ name: 'main', image: 'none' }] } },
    { signal },
  );
const phaseOf = async (name: string): Promise<string | undefined> =>
  (await ignoreNotFound(world.client.get<Pod>(`${PODS}/${name}`, { signal })))?.status?.phase;

describe('the node', () => {
  it('is Ready, tainted, and runs pods', async () => {
    const node = await world.ready(world.run([]));
    expect(node.spec?.taints).toEqual([{ key: 'virtual-kubelet.io/provider', value: 'mock', effect: 'NoSchedule' }]);
    expect(node.metadata?.labels).toMatchObject({ type: 'virtual-kubelet', 'kubernetes.io/os': 'linux' });
    expect(node.status?.addresses).toEqual([{ type: 'InternalIP', address: '127.0.0.1' }]);
    expect(node.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    await addPod('web');
    await waitFor(async () => (await phaseOf('web')) === 'Running');
    await world.client.delete(`${PODS}/web`, { signal });
    await waitFor(async () => (await phaseOf('web')) === undefined);
  });

  it('is what flags, variables and configuration make it', async () => {
    const config = path.join(world.folder, 'mock.yaml');
    await writeFile(config, `${NODE}: {cpu: "2", memory: 32Gi, pods: "128", providerID: "mock://7"}`);
    const svk = world.run(
      ['--os', 'windows', '--provider-config', config, '--node-ip', '192.0.2.7', '--deployment', 'dev'],
      {
        VKUBELET_TAINT_KEY: 'a/b',
        VKUBELET_TAINT_VALUE: 'v',
        VKUBELET_TAINT_EFFECT: 'NoExecute',
      },
    );
    const node = await world.ready(svk);
    expect(node.spec).toMatchObject({
      taints: [{ key: 'a/b', value: 'v', effect: 'NoExecute' }],
      providerID: 'mock://7',
    });
    expect(node.metadata?.annotations).toMatchObject({ 'svk.dev/deployment': 'dev' });
    expect(node.status).toMatchObject({
      capacity: { cpu: '2', memory: '32Gi', pods: '128' },
      addresses: [{ type: 'InternalIP', address: '192.0.2.7' }],
      nodeInfo: { operatingSystem: 'windows' },
    });
  });

  it('has no taint with --disable-taint', async () => {
    expect((await world.ready(world.run(['--disable-taint']))).spec?.taints ?? []).toEqual([]);
  });

  it('stays when the process ends, unless --delete-node says otherwise', async () => {
    const first = world.run([]);
    await world.ready(first);
    expect(await first.stop()).toBe(0);
    expect(await world.readNode()).toBeDefined();
    const second = world.run(['--delete-node']);
    await world.ready(second);
    expect(await second.stop()).toBe(0);
    expect(await world.readNode()).toBeUndefined();
  });

  it('sends no more than --kube-api-qps', async () => {
    await world.ready(world.run(['--kube-api-qps', '2', '--kube-api-burst', '1']));
    const began = performance.now();
    // Status and event of three pods: five waits of half a second at least.
    for (const name of ['a', 'b', 'c']) await addPod(name);
    await waitFor(
      async () => (await world.client.list(`/api/v1/namespaces/default/events`, { signal })).items.length >= 3,
    );
    await waitFor(async () => (await Promise.all(['a', 'b', 'c'].map(phaseOf))).every((phase) => phase === 'Running'));
    expect(performance.now() - began).toBeGreaterThan(1_000);
  });
});

describe('the end', () => {
  it('comes with 4 where it is not ready within --startup-timeout', async () => {
    const { server, port } = await takenPort();
    const kubeconfig = path.join(world.folder, 'silent.json');
    await writeFile(
      kubeconfig,
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
        users: [{ name: 'u', user: { token: 't' } }],
      }),
    );
    const svk = world.run(['--kubeconfig', kubeconfig, '--startup-timeout', '500ms']);
    expect(await svk.ended).toBe(4);
    expect(svk.log()).toContain('svk: not ready within the 0.5 s of --startup-timeout');
    server.close();
  });

  it('comes with 3 for credentials that are refused, a file that is missing, and a node of somebody else', async () => {
    const refused = path.join(world.folder, 'refused.json');
    await writeFile(
      refused,
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [
          {
            name: 'c',
            cluster: {
              server: world.api.url,
              'certificate-authority-data': Buffer.from(world.api.certificateAuthority).toString('base64'),
            },
          },
        ],
        users: [{ name: 'u', user: { token: 'wrong' } }],
      }),
    );
    expect(await world.run(['--kubeconfig', refused]).ended).toBe(3);
    expect(await world.run(['--tls-cert-file', '/nowhere', '--tls-private-key-file', '/nowhere']).ended).toBe(3);
    await world.ready(world.run(['--deployment', 'one']));
    const other = world.run(['--deployment', 'two']);
    expect(await other.ended).toBe(3);
    expect(other.log()).toContain('svk: node n1 exists and is not of deployment two');
  });

  it('comes with 0 when it is told to end, however far it has come', async () => {
    const svk = world.run([]);
    expect(await svk.stop()).toBe(0);
  });
});
