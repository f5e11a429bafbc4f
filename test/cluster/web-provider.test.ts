import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { createKubernetes } from '../../src/adapters/kubernetes/kubernetes-api.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import type { Pod, PodSpec } from '../../src/model/kubernetes.ts';
import type { Kubernetes } from '../../src/ports/kubernetes.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { type ExampleService, startExampleService } from '../support/example-service.ts';
import { type SvkRun, startSvkRun } from '../support/svk-run.ts';

const { signal } = new AbortController();
const NODE = 'web';
const TOKEN = 'of-this-test';
let plane: ControlPlane;
let service: ExampleService;
let svk: SvkRun;
let client: KubernetesClient;
let kubernetes: Kubernetes;

beforeAll(async () => {
  plane = await startControlPlane();
  service = await startExampleService(TOKEN);
  const authorizationFile = path.join(plane.folder, 'authorization');
  await writeFile(authorizationFile, `Bearer ${TOKEN}\n`);
  const config = { url: service.url, authorizationFile, node: { capacity: { cpu: 4, memory: '8Gi', pods: 10 } } };
  svk = await startSvkRun(plane, { node: NODE, provider: 'web', config });
  client = new KubernetesClient(await credentialsFromKubeconfig(plane.kubeconfig), { clock: new SystemClock() });
  kubernetes = createKubernetes(client);
});
afterAll(async () => {
  client?.close();
  await svk?.stop();
  await service?.stop();
  await plane?.remove();
});

const until = async <T>(read: () => Promise<T | undefined>): Promise<T> => {
  for (;;) {
    const found = await read().catch(() => undefined);
    if (found !== undefined) return found;
    await delay(50);
  }
};

const addPod = async (name: string, spec: Partial<PodSpec> & { readonly shell?: string }): Promise<void> => {
  const { shell, ...rest } = spec;
  const command = shell === undefined ? {} : { command: ['sh', '-c', shell] };
  const containers = [{ name: 'main', image: 'none', env: [{ name: 'WORD', value: 'hello' }], ...command }];
  await client.create(
    '/api/v1/namespaces/default/pods',
    { metadata: { name }, spec: { nodeName: NODE, containers, ...rest } },
    { signal },
  );
};

const podThat = (name: string, isSo: (status: NonNullable<Pod['status']>) => boolean): Promise<Pod> =>
  until(async () => {
    const pod = await kubernetes.pods.get('default', name, signal);
    return isSo(pod.status ?? {}) ? pod : undefined;
  });

it('keeps a node of the configured size', async () => {
  const node = await until(async () => {
    const found = await kubernetes.nodes.get(NODE, signal);
    return found.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
      ? found
      : undefined;
  });
  expect(node.status?.capacity).toMatchObject({ cpu: '4', memory: '8Gi', pods: '10' });
});

it('runs a pod until it is deleted, and no longer', async () => {
  await addPod('runs', { shell: 'exec sleep 600' });
  const { status } = await podThat('runs', ({ phase }) => phase === 'Running');
  expect(status).toMatchObject({ podIP: '127.0.0.1', containerStatuses: [{ name: 'main', ready: true }] });
  await client.delete('/api/v1/namespaces/default/pods/runs', { signal });
  const before = Date.now();
  await until(async () => {
    const left = await kubernetes.pods.list(NODE, signal);
    return left.some(({ metadata }) => metadata?.name === 'runs') ? undefined : true;
  });
  // It had 30 s.
  expect(Date.now() - before).toBeLessThan(10_000);
  const answer = await fetch(`${service.url}/workloads?stopped=false`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  expect(await answer.json()).toEqual({ workloads: [] });
});

it('tells how a pod ended', async () => {
  await addPod('ends', { shell: 'test "$WORD" = hello && exit 3', restartPolicy: 'Never' });
  const { status } = await podThat('ends', ({ phase }) => phase === 'Failed');
  expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
});

it('starts a pod again that ends, once after the first time', async () => {
  await addPod('again', { shell: 'exit 1' });
  const { status } = await podThat(
    'again',
    ({ containerStatuses }) => containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff',
  );
  expect(status?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 1 } } });
});

it('tells what the service will not run, with its path', async () => {
  await addPod('refused', { restartPolicy: 'Never' });
  const { status } = await podThat('refused', ({ phase }) => phase === 'Failed');
  expect(status?.message).toBe('spec.containers[0].command: name a program to run');
});
