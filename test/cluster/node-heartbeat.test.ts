import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { createKubernetes } from '../../src/adapters/kubernetes/kubernetes-api.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { nodePath } from '../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { BeatScheduler } from '../../src/controllers/node/beat-scheduler.ts';
import { Heartbeat } from '../../src/controllers/node/heartbeat.ts';
import { LeaseController } from '../../src/controllers/node/lease-controller.ts';
import { NodeController } from '../../src/controllers/node/node-controller.ts';
import { ReachabilityMonitor } from '../../src/controllers/node/reachability-monitor.ts';
import type { Node } from '../../src/model/kubernetes.ts';
import type { Kubernetes } from '../../src/ports/kubernetes.ts';
import type { LogFields, Logger } from '../../src/ports/logger.ts';
import { FakeWorkQueue } from '../fakes/queue/fake-work-queue.ts';
import { FakeNodeStore } from '../fakes/stores/fake-node-store.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';

const { signal } = new AbortController();
const DEFINITION = {
  name: 'fargate',
  architecture: 'amd64',
  capacity: { cpu: '8', memory: '32Gi', pods: 20 },
} as const;
const clock = new SystemClock();
const queue = new FakeWorkQueue(clock);
const stopped = new AbortController();
const logs: string[] = [];
let plane: ControlPlane | undefined;
let client: KubernetesClient;
let kubernetes: Kubernetes;
let heartbeat: Heartbeat;
let delivering: Promise<void> | undefined;

beforeAll(async () => {
  plane = await startControlPlane();
  client = new KubernetesClient(await credentialsFromKubeconfig(plane.kubeconfig), { clock });
  kubernetes = createKubernetes(client);
  heartbeat = createHeartbeat();
  delivering = deliver();
});
afterAll(async () => {
  stopped.abort();
  await delivering;
  client.close();
  await plane?.remove();
});

const createHeartbeat = (): Heartbeat => {
  const log =
    (level: string) =>
    (message: string, fields: LogFields = {}): void =>
      void logs.push(`${level} ${message} ${inspect(fields)}`);
  const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const store = new FakeNodeStore();
  const deployment = { name: 'dev', provider: 'fargate', version: '0.1.0' };
  const monitor = new ReachabilityMonitor({ provider: { ping: async () => undefined }, store, clock, logger });
  const controller = new NodeController({ kubernetes, store, monitor, clock, logger, deployment });
  const leases = new LeaseController({ leases: kubernetes.leases, nodes: controller, clock, logger, deployment });
  const beats = new BeatScheduler({ store, beatsQueue: queue, podQueue: queue, clock, logger });
  return new Heartbeat({
    nodes: [DEFINITION],
    controller,
    leases,
    beats,
    onBeat: async () => undefined,
    clock,
    logger,
  });
};

const deliver = async (): Promise<void> => {
  while (!stopped.signal.aborted) {
    for (const message of queue.receive()) if (message.kind === 'beat') await heartbeat.beat(message, stopped.signal);
    await delay(100);
  }
};

const node = (): Promise<Node> => kubernetes.nodes.get('fargate', signal);
const ready = ({ status }: Node): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status;
const taintsOf = ({ spec }: Node): string[] => (spec?.taints ?? []).map(({ key }) => key);

it('stays Ready past the time after which the control plane doubts a node', async () => {
  await heartbeat.scheduled(signal);
  const since = (await node()).status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  for (let second = 0; second < 75; second += 1) {
    if (second === 60) await heartbeat.scheduled(signal);
    await delay(1_000);
    const now = await node();
    expect(ready(now)).toBe('True');
    expect(taintsOf(now)).not.toContain('node.kubernetes.io/unreachable');
  }
  const now = await node();
  // The controller's first taint of a new node goes once it has seen it Ready.
  expect(taintsOf(now)).toEqual(['virtual-kubelet.io/provider']);
  expect(now.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime).toBe(since);
  expect(now.status?.nodeInfo?.kubeletVersion).toBe('v1.36.3-svk-0.1.0');
  expect(logs.filter((line) => line.startsWith('error') || line.startsWith('warn'))).toEqual([]);
});

it('keeps what others write to the node', async () => {
  const condition = { type: 'NetworkDegraded', status: 'True', lastHeartbeatTime: '2030-01-01T00:00:00Z' };
  await kubernetes.nodes.patchStatus('fargate', { conditions: [condition] }, signal);
  const foreign = { metadata: { labels: { team: 'a', type: 'x' } }, spec: { unschedulable: true } };
  await client.patch(nodePath('fargate'), 'merge', foreign, { signal });
  await heartbeat.scheduled(signal);

  const now = await node();
  expect(now.status?.conditions?.map(({ type }) => type)).toContain('NetworkDegraded');
  expect(now.metadata?.labels).toMatchObject({ team: 'a', type: 'virtual-kubelet' });
  expect(now.spec?.unschedulable).toBe(true);
});

it('is registered again after it was deleted, and its lease follows', async () => {
  const before = (await node()).metadata?.uid;
  await client.delete(nodePath('fargate'), { signal });
  await heartbeat.scheduled(signal);

  const uid = (await node()).metadata?.uid;
  expect(uid).toBeDefined();
  expect(uid).not.toBe(before);
  for (let second = 0; second < 20; second += 1) await delay(1_000);
  const lease = await kubernetes.leases.get('fargate', signal);
  expect(lease.metadata?.ownerReferences?.map((owner) => owner.uid)).toEqual([uid]);
  expect(clock.now() - Date.parse(lease.spec?.renewTime ?? '')).toBeLessThan(12_000);
  expect(ready(await node())).toBe('True');
});

it('goes on after the API server was away', async () => {
  await plane?.restart();
  for (let second = 0; second < 12; second += 1) await delay(1_000);
  const lease = await kubernetes.leases.get('fargate', signal);
  expect(clock.now() - Date.parse(lease.spec?.renewTime ?? '')).toBeLessThan(12_000);
});
