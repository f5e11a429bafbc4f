import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { corePath, leasePath, nodePath } from '../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { ignoreNotFound, TransientError } from '../../src/core/errors.ts';
import type { Lease, Node, Pod } from '../../src/model/kubernetes.ts';
import type { Kubernetes } from '../../src/ports/kubernetes.ts';
import { ClusterWorld } from '../support/cluster-world.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';

const { signal } = new AbortController();
const clock = new SystemClock();
const SECOND = 1_000;

/** Nodes side by side, each of a deployment of its own and with one trouble of its own, over the same four minutes. */
const TROUBLES = [
  'ecs-outage',
  'lost-schedules',
  'stuck-beats',
  'stuck-pods',
  'hung-call',
  'deleted-lease',
  'deleted-node',
  'blackout',
] as const;
type Trouble = (typeof TROUBLES)[number];

interface Subject {
  readonly world: ClusterWorld;
  readonly pod: Pod;
  readonly task: string;
  /** What the control plane thought of the node, looked at about every second from when all nodes were Ready. */
  readonly ready: Sighting[];
}

interface Sighting {
  readonly second: number;
  readonly status: string;
}

let plane: ControlPlane;
let admin: KubernetesClient;
let watching = true;
let watch: Promise<void>;
const subjects = new Map<Trouble, Subject>();
let hangs = 0;

beforeAll(async () => {
  plane = await startControlPlane();
  admin = new KubernetesClient(await credentialsFromKubeconfig(plane.kubeconfig), { clock });
  for (const trouble of TROUBLES) subjects.set(trouble, await start(trouble));
  watch = watchNodes();
  await troubles();
});
afterAll(async () => {
  watching = false;
  await watch;
  await Promise.all([...subjects.values()].map(({ world }) => world.stop()));
  admin.close();
  await plane.remove();
});

const start = async (name: Trouble): Promise<Subject> => {
  const definition = { name, architecture: 'amd64', capacity: { cpu: '8', memory: '32Gi', pods: 20 } } as const;
  const faults = name === 'hung-call' ? { faults: hangingRenewals } : {};
  const world = new ClusterWorld(await credentialsFromKubeconfig(plane.kubeconfig), definition, {
    deployment: name,
    ...faults,
  });
  world.start();
  await until(async () => (await readyOf(name)) === 'True', `${name} is Ready`);
  const pod = await admin.create<Pod>(
    corePath('default', 'pods'),
    {
      metadata: { name },
      spec: {
        nodeName: name,
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image: 'busybox' }],
      },
    },
    { signal },
  );
  await world.work(world.wakeFor(pod, 'create'));
  const [task] = world.provider.live(pod.metadata?.uid);
  if (!task) throw new Error(`${name}: no task was started\n${world.logs.join('\n')}`);
  await world.happens(task.id, () => world.provider.run(task.id));
  return { world, pod, task: task.id, ready: [] };
};

/** The renewal under way when `hangs` grows never gets an answer. */
const hangingRenewals = (kubernetes: Kubernetes): Kubernetes => ({
  ...kubernetes,
  leases: {
    ...kubernetes.leases,
    renew: (name, renewal, limit) => {
      if (hangs === 0) return kubernetes.leases.renew(name, renewal, limit);
      hangs -= 1;
      return new Promise((_, reject) => limit.addEventListener('abort', () => reject(limit.reason)));
    },
  },
});

const troubles = async (): Promise<void> => {
  const world = (name: Trouble): ClusterWorld => subjectOf(name).world;
  world('lost-schedules').broken.add('schedule');
  world('stuck-beats').broken.add('beats');
  world('stuck-pods').broken.add('pods');
  hangs = 1;
  await admin.delete(leasePath('deleted-lease'), { signal });
  await admin.delete(nodePath('deleted-node'), { signal });
  for (const trigger of ['schedule', 'beats', 'pods'] as const) world('blackout').broken.add(trigger);

  // So that the run of the schedule, which alone asks for ECS, falls into it.
  await delay(30 * SECOND);
  const outage = world('ecs-outage').provider;
  outage.hook = () => {
    throw new TransientError('ECS is down');
  };
  await delay(30 * SECOND);
  outage.hook = () => {};
  await delay(60 * SECOND);
  world('blackout').broken.clear();
  // Runs are a minute apart: now two of them are missing.
  await delay(30 * SECOND);
  world('lost-schedules').broken.clear();
  await delay(40 * SECOND);
};

const watchNodes = async (): Promise<void> => {
  const began = clock.now();
  const look = async (name: Trouble): Promise<void> => {
    const status = await readyOf(name);
    subjectOf(name).ready.push({ second: (clock.now() - began) / SECOND, status });
  };
  while (watching) {
    await Promise.all(TROUBLES.map(look));
    await delay(SECOND);
  }
};

const subjectOf = (name: Trouble): Subject => {
  const subject = subjects.get(name);
  if (!subject) throw new Error(`${name} was not started`);
  return subject;
};

const readyOf = async (name: string): Promise<string> => {
  const node = await ignoreNotFound(admin.get<Node>(nodePath(name), { signal }));
  if (!node) return 'gone';
  return node.status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'none';
};

const until = async (holds: () => Promise<boolean>, what: string): Promise<void> => {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await holds()) return;
    await delay(100);
  }
  throw new Error(`not within 30 s: ${what}`);
};

/** The pod is as it was, and its task was neither stopped nor started again. */
const expectUntouched = async (name: Trouble): Promise<void> => {
  const { world, pod, task } = subjectOf(name);
  expect(world.provider.workloads().map(({ id, phase }) => [id, phase])).toEqual([[task, 'running']]);
  expect(world.provider.calls).not.toContain('stop');
  const now = await admin.get<Pod>(corePath('default', 'pods', name), { signal });
  expect(now.metadata?.uid).toBe(pod.metadata?.uid);
  expect(now.metadata?.deletionTimestamp).toBeUndefined();
  expect(now.status?.phase).toBe('Running');
};

const leaseAgeMs = async (name: string): Promise<number> => {
  const lease = await admin.get<Lease>(leasePath(name), { signal });
  return clock.now() - Date.parse(lease.spec?.renewTime ?? '');
};

describe('a node stays Ready, and its task is not touched, through', () => {
  it.each([
    ['N-12 an outage of ECS for 30 s', 'ecs-outage'],
    ['N-03 two missed schedules', 'lost-schedules'],
    ['a stuck beats queue', 'stuck-beats'],
    ['a stuck pod queue', 'stuck-pods'],
    ['an API call that hangs', 'hung-call'],
    ['N-02 its lease deleted', 'deleted-lease'],
  ] as const)('%s', async (_what, name) => {
    const { ready, world } = subjectOf(name);
    expect(ready.at(-1)?.second).toBeGreaterThan(180);
    expect(ready.filter(({ status }) => status !== 'True')).toEqual([]);
    await expectUntouched(name);
    expect(await leaseAgeMs(name)).toBeLessThan(25_000);
    if (name === 'hung-call') expect(hangs).toBe(0);
    const { logs } = world;
    if (name === 'ecs-outage') expect(logs.join('\n')).toContain('warn provider does not answer');
    if (name === 'ecs-outage') expect(logs.filter((line) => line.includes('Z error '))).toEqual([]);
  });
});

describe('a node that somebody deletes', () => {
  it('is registered again, Ready, with a lease of its new UID, and the pods that went with it are put away', async () => {
    const { ready } = subjectOf('deleted-node');
    // It is back with the next beat.
    expect(ready.findLast(({ status }) => status === 'gone')?.second ?? 0).toBeLessThan(20);
    expect(ready.filter(({ second, status }) => second > 30 && status !== 'True')).toEqual([]);
    const node = await admin.get<Node>(nodePath('deleted-node'), { signal });
    const lease = await admin.get<Lease>(leasePath('deleted-node'), { signal });
    expect(lease.metadata?.ownerReferences?.map(({ uid }) => uid)).toEqual([node.metadata?.uid]);
    expect(await leaseAgeMs('deleted-node')).toBeLessThan(25_000);
  });
});

describe('N-05 two minutes without any trigger', () => {
  it('make the node NotReady; it comes back with no task touched', async () => {
    const { ready } = subjectOf('blackout');
    const lost = ready.find(({ status }) => status === 'Unknown')?.second ?? 0;
    // 50 s after its last renewal, as the control plane has it, which looks every five seconds.
    expect(lost).toBeGreaterThan(30);
    expect(lost).toBeLessThan(90);
    const back = ready.find(({ second, status }) => second > lost && status === 'True')?.second ?? 0;
    // Not before the triggers are back, and then with the next run of the schedule, which writes the status.
    expect(back).toBeGreaterThan(115);
    expect(back).toBeLessThan(190);
    expect(new Set(ready.filter(({ second }) => second >= back).map(({ status }) => status))).toEqual(
      new Set(['True']),
    );
    await expectUntouched('blackout');
    const node = await admin.get<Node>(nodePath('blackout'), { signal });
    const taints = (node.spec?.taints ?? []).map(({ key }) => key);
    expect(taints).toEqual(['virtual-kubelet.io/provider']);
  });
});
