import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { leasePath, nodePath } from '../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { ignoreNotFound } from '../../src/core/errors.ts';
import type { Lease, Node } from '../../src/model/kubernetes.ts';
import { type AuditEvent, requestsOf } from '../support/audit-log.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { PodWatcher, twentyAtOnce } from '../support/pod-watcher.ts';
import { type SvkRun, startSvkRun } from '../support/svk-run.ts';

const NODE = 'mock';
const PODS = '/api/v1/namespaces/default/pods';
const { signal } = new AbortController();
let plane: ControlPlane;
let client: KubernetesClient;
let watcher: PodWatcher;
let svk: SvkRun;

const start = (flags: Readonly<Record<string, string>> = {}): Promise<SvkRun> =>
  startSvkRun(plane, {
    node: NODE,
    provider: 'mock',
    config: { [NODE]: { cpu: '1000', memory: '4096Gi', pods: '5000' } },
    flags,
  });

const readNode = (): Promise<Node | undefined> => ignoreNotFound(client.get<Node>(nodePath(NODE), { signal }));
const isReady = (node: Node | undefined): boolean =>
  node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

const untilReady = async (): Promise<void> => {
  while (!isReady(await readNode())) await delay(20);
};

const create = (name: string): Promise<unknown> =>
  client.create(
    PODS,
    { metadata: { name }, spec: { nodeName: NODE, containers: [{ name: 'main', image: 'none' }] } },
    { signal },
  );
const remove = (name: string, gracePeriodSeconds: number): Promise<void> =>
  client.delete(`${PODS}/${name}`, { signal, gracePeriodSeconds });

/**
 * Requests of the process that came from then on, in milliseconds since the epoch. The log is written late and in no order,
 * and has a second line for the end of each watch.
 */
const requestsSince = async (time: number): Promise<readonly AuditEvent[]> =>
  (await requestsOf(plane.folder, svk.user)).filter(
    ({ verb, stage, requestReceivedTimestamp: at }) =>
      Date.parse(String(at)) >= time && (verb !== 'watch' || stage === 'ResponseStarted'),
  );

const aboutPods = ({ objectRef }: AuditEvent): boolean =>
  objectRef?.resource === 'pods' || objectRef?.resource === 'events';

beforeAll(async () => {
  plane = await startControlPlane({ audit: true });
  client = new KubernetesClient(await credentialsFromKubeconfig(plane.kubeconfig), {
    clock: new SystemClock(),
    deadlineMs: 60_000,
  });
  const began = performance.now();
  svk = await start();
  await untilReady();
  console.log(`start to Ready: ${Math.round(performance.now() - began)} ms`);
  watcher = new PodWatcher(client, NODE);
  await watcher.synced;
});
afterAll(async () => {
  await watcher?.stop();
  await svk?.stop();
  client?.close();
  await plane?.remove();
});

describe('a pod', () => {
  it('costs five requests, runs at once, and is gone when its containers have ended', async () => {
    await delay(1_000);
    const before = Date.now();
    const waits: number[] = [];
    const ends: number[] = [];
    for (let pod = 0; pod < 20; pod += 1) {
      const name = `life-${pod}`;
      await create(name);
      const created = performance.now();
      await watcher.until(`${name} runs`, 10_000, () => watcher.runningAt.has(name));
      waits.push((watcher.runningAt.get(name) ?? 0) - created);
      await delay(100);
      const deleted = performance.now();
      await remove(name, 30);
      await watcher.until(`${name} is gone`, 10_000, () => watcher.goneAt.has(name));
      ends.push((watcher.goneAt.get(name) ?? 0) - deleted);
    }
    await delay(1_000);
    const lives = (await requestsSince(before)).filter(aboutPods);
    console.log(
      `from the reply to Running: ${median(waits)} ms; from the delete to gone: ${median(ends)} ms (medians)`,
    );
    expect(lives.length / 20).toBeLessThanOrEqual(5);
    expect(median(ends)).toBeLessThan(5_000);
  });

  it('that is deleted by force costs an event and one look at the cluster, two requests more where it is met before it is gone', async () => {
    await create('forced');
    await watcher.until('it runs', 10_000, () => watcher.runningAt.has('forced'));
    await delay(1_000);
    const before = Date.now();
    await remove('forced', 0);
    await delay(3_000);
    const ofPods = (await requestsSince(before))
      .filter(({ objectRef }) => !/lease|node/.test(objectRef?.resource ?? ''))
      .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}`)
      .sort();
    // The server marks a bound pod and removes it right after: who sees the mark tells it the end, and takes it away.
    const whereMet = ['patch pods', 'delete pods'];
    expect(ofPods.filter((request) => !whereMet.includes(request) && request !== 'get namespaces')).toEqual([
      'create events',
    ]);
    expect(ofPods).toContainEqual(expect.stringMatching(/^(get namespaces|delete pods)$/));
    expect(new Set(ofPods).size, ofPods.join()).toBe(ofPods.length);
  });
});

describe('a thousand pods', () => {
  const names = Array.from({ length: 1_000 }, (_, pod) => `burst-${pod}`);

  it('run within 90 s, and are gracefully gone within 106 s', async () => {
    const began = performance.now();
    await twentyAtOnce(names, create);
    await watcher.until('all run', 90_000, () => names.every((name) => watcher.runningAt.has(name)));
    const running = performance.now();
    await twentyAtOnce(names, (name) => remove(name, 1));
    await watcher.until('all are gone', 106_000, () => names.every((name) => watcher.goneAt.has(name)));
    console.log(
      `1,000 pods: Running after ${Math.round(running - began)} ms, gone after ${Math.round(performance.now() - running)} ms`,
    );
    expect(running - began).toBeLessThan(90_000);
  });

  it('leave no wait behind for the next one', async () => {
    const created = performance.now();
    await create('after-burst');
    await watcher.until('it runs', 5_000, () => watcher.runningAt.has('after-burst'));
    expect((watcher.runningAt.get('after-burst') ?? 0) - created).toBeLessThan(5_000);
    await remove('after-burst', 0);
  });
});

it('idles at eight requests a minute or less', async () => {
  await delay(5_000);
  const before = Date.now();
  await delay(60_000);
  const idle = (await requestsSince(before)).map(({ verb, requestURI }) => `${verb} ${requestURI}`);
  expect(idle.length, idle.join('\n')).toBeLessThanOrEqual(8);
});

it('outlives an API server that goes away', async () => {
  await plane.restart();
  await watcher.stop();
  watcher = new PodWatcher(client, NODE);
  await watcher.synced;
  await create('after-restart');
  await watcher.until('it runs', 60_000, () => watcher.runningAt.has('after-restart'));
  const lease = await client.get<Lease>(leasePath(NODE), { signal });
  expect(Date.now() - Date.parse(lease.spec?.renewTime ?? '')).toBeLessThan(40_000);
});

it('takes up what happened while it was away, and takes its node along where that is wanted', async () => {
  await svk.stop();
  expect(isReady(await readNode())).toBe(true);
  await create('meanwhile');
  svk = await start({ 'delete-node': 'true', kubeconfig: svk.kubeconfig });
  await watcher.until('the pod runs', 20_000, () => watcher.runningAt.has('meanwhile'));
  await svk.stop();
  expect(await readNode()).toBeUndefined();
});

const median = (values: readonly number[]): number =>
  Math.round([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
