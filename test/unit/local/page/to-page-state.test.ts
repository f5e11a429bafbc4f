import { describe, expect, it } from 'vitest';
import { toPageState } from '../../../../infra/local/page/to-page-state.ts';
import type { KubernetesEvent, Lease, Node, Pod } from '../../../../src/model/kubernetes.ts';
import { aTask } from './a-task.ts';

const node = (ready: string): Node => ({
  metadata: { name: 'fargate' },
  spec: { taints: [{ key: 'svk.dev/out-of-capacity', effect: 'NoSchedule' }] },
  status: { conditions: [{ type: 'Ready', status: ready, reason: 'KubeletReady' }] },
});

const lease: Lease = {
  metadata: { name: 'fargate' },
  spec: { renewTime: '2030-01-01T00:00:00.000000Z', leaseDurationSeconds: 40 },
};

const pod = (changes: Partial<Pod> = {}): Pod => ({
  metadata: { uid: 'u1', namespace: 'default', name: 'web', creationTimestamp: '2030-01-01T00:00:00Z' },
  spec: { nodeName: 'fargate', containers: [] },
  status: { phase: 'Running' },
  ...changes,
});

const empty = {
  runtime: 'simulated: nothing runs',
  nodeNames: ['fargate'],
  nodes: [],
  leases: [],
  pods: [],
  events: [],
  tasks: [],
  podNames: new Map<string, string>(),
};

describe('nodes on the page', () => {
  it.each([
    { want: 'True', nodes: [node('True')] },
    { want: 'False', nodes: [node('False')] },
    { want: 'Unknown', nodes: [{ metadata: { name: 'fargate' } }] },
    { want: 'missing', nodes: [] },
  ])('are $want', ({ want, nodes }) => {
    expect(toPageState({ ...empty, nodes }).nodes[0]?.ready).toBe(want);
  });

  it('tell conditions, lease and taints', () => {
    expect(toPageState({ ...empty, nodes: [node('True')], leases: [lease] }).nodes).toEqual([
      {
        name: 'fargate',
        ready: 'True',
        conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
        leaseRenewedAt: 1_893_456_000_000,
        leaseSeconds: 40,
        taints: ['svk.dev/out-of-capacity:NoSchedule'],
      },
    ]);
  });
});

describe('pods on the page', () => {
  it('have their tasks, oldest first', () => {
    const tasks = [
      aTask({ id: 't2', group: 'svk:2.1', createdAt: 2000 }),
      aTask(),
      aTask({ id: 't3', startedBy: 'svk/c1/other' }),
    ];
    const [first, second] = toPageState({ ...empty, pods: [pod()], tasks }).pods;
    expect([first?.name, first?.tasks.map(({ id }) => id)]).toEqual(['default/web', ['t1', 't2']]);
    expect([second?.name, second?.status, second?.tasks.map(({ id }) => id)]).toEqual(['other', 'gone', ['t3']]);
  });

  it('keep their name as long as it is remembered', () => {
    const podNames = new Map([['u1', 'default/web']]);
    expect(toPageState({ ...empty, tasks: [aTask()], podNames }).pods[0]).toMatchObject({
      name: 'default/web',
      status: 'gone',
    });
  });

  it('come youngest first, a hundred of them', () => {
    const pods = Array.from({ length: 103 }, (_, index) => {
      const creationTimestamp = new Date(1_893_456_000_000 + index * 1000).toISOString();
      return pod({ metadata: { uid: `u${index}`, namespace: 'default', name: `p${index}`, creationTimestamp } });
    });
    const state = toPageState({ ...empty, pods });
    expect([state.pods[0]?.name, state.pods.length, state.hiddenPods]).toEqual(['default/p102', 100, 3]);
  });

  const waiting = { name: 'app', ready: false, restartCount: 4, image: '', imageID: '' };
  it.each([
    { want: 'Running', status: { phase: 'Running' } },
    {
      want: 'CrashLoopBackOff',
      status: {
        phase: 'Running',
        containerStatuses: [{ ...waiting, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
      },
    },
    {
      want: 'OOMKilled',
      status: {
        phase: 'Failed',
        containerStatuses: [{ ...waiting, state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }],
      },
    },
    { want: 'Evicted', status: { phase: 'Failed', reason: 'Evicted' } },
    { want: 'Unknown', status: {} },
  ])('say what kubectl says: $want', ({ want, status }) => {
    expect(toPageState({ ...empty, pods: [pod({ status })] }).pods[0]?.status).toBe(want);
  });

  it('are Terminating whatever their containers do, and count restarts', () => {
    const deleted = pod({
      metadata: { uid: 'u1', deletionTimestamp: '2030-01-01T00:00:00Z' },
      status: { phase: 'Running', containerStatuses: [waiting, waiting] },
    });
    expect(toPageState({ ...empty, pods: [deleted] }).pods[0]).toMatchObject({ status: 'Terminating', restarts: 8 });
  });
});

describe('events on the page', () => {
  const event = (name: string, changes: Partial<KubernetesEvent>): KubernetesEvent => ({
    metadata: { name, creationTimestamp: '2030-01-01T00:00:01Z' },
    involvedObject: { kind: 'Pod', name },
    reason: 'Started',
    message: name,
    type: 'Normal',
    ...changes,
  });

  it('come newest first by whatever time they have', () => {
    const { events } = toPageState({
      ...empty,
      events: [
        event('created', {}),
        event('last', { lastTimestamp: '2030-01-01T00:00:09Z', count: 3 }),
        event('micro', { eventTime: '2030-01-01T00:00:05.000001Z' }),
      ],
    });
    expect(events.map(({ object, count, at }) => [object, count, at])).toEqual([
      ['pod/last', 3, 1_893_456_009_000],
      ['pod/micro', 1, 1_893_456_005_000],
      ['pod/created', 1, 1_893_456_001_000],
    ]);
  });
});
