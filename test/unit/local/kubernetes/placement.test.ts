import { describe, expect, it } from 'vitest';
import { describeRefusals, refusalOf } from '../../../../infra/local/kubernetes/controllers/placement.ts';
import type { Node, Pod } from '../../../../src/model/kubernetes.ts';

const node = (
  spec: object = {},
  allocatable: Record<string, string> = { cpu: '4', memory: '8Gi', pods: '2' },
): Node => ({
  metadata: { name: 'n', labels: { disk: 'ssd', size: '3' } },
  spec,
  status: { allocatable },
});
const pod = (spec: object = {}): Pod => ({
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'a', image: 'b' }], ...spec },
});
const asking = (requests: Record<string, string>): object => ({
  containers: [{ name: 'a', image: 'b', resources: { requests } }],
});
const requiring = (expression: object): object => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] },
    },
  },
});
const taints = [{ key: 'k', value: 'v', effect: 'NoSchedule' }];

describe('a node', () => {
  it.each([
    { what: 'takes a pod that fits', pod: pod(asking({ cpu: '4' })), node: node(), reasons: undefined },
    {
      what: 'keeps off pods that do not tolerate its taint',
      pod: pod(),
      node: node({ taints }),
      reasons: ['node(s) had untolerated taint(s)'],
    },
    {
      what: 'takes pods that tolerate the value',
      pod: pod({ tolerations: [{ key: 'k', value: 'v' }] }),
      node: node({ taints }),
      reasons: undefined,
    },
    {
      what: 'keeps off pods that tolerate another value',
      pod: pod({ tolerations: [{ key: 'k', value: 'w' }] }),
      node: node({ taints }),
      reasons: ['node(s) had untolerated taint(s)'],
    },
    {
      what: 'takes pods that tolerate everything',
      pod: pod({ tolerations: [{ operator: 'Exists' }] }),
      node: node({ taints }),
      reasons: undefined,
    },
    {
      what: 'ignores preferences',
      pod: pod(),
      node: node({ taints: [{ key: 'k', effect: 'PreferNoSchedule' }] }),
      reasons: undefined,
    },
    {
      what: 'is closed when cordoned',
      pod: pod(),
      node: node({ unschedulable: true }),
      reasons: ['node(s) were unschedulable'],
    },
    {
      what: 'must match the selector',
      pod: pod({ nodeSelector: { disk: 'hdd' } }),
      node: node(),
      reasons: ["node(s) didn't match Pod's node affinity/selector"],
    },
    {
      what: 'matches an affinity by set',
      pod: pod(requiring({ key: 'disk', operator: 'In', values: ['ssd', 'nvme'] })),
      node: node(),
      reasons: undefined,
    },
    {
      what: 'matches an affinity by number',
      pod: pod(requiring({ key: 'size', operator: 'Gt', values: ['2'] })),
      node: node(),
      reasons: undefined,
    },
    {
      what: 'is kept from by an affinity',
      pod: pod(requiring({ key: 'disk', operator: 'DoesNotExist' })),
      node: node(),
      reasons: ["node(s) didn't match Pod's node affinity/selector"],
    },
    {
      what: 'must have enough of each resource',
      pod: pod(asking({ cpu: '5', memory: '9Gi' })),
      node: node(),
      reasons: ['Insufficient cpu', 'Insufficient memory'],
    },
    {
      what: 'must know the resource',
      pod: pod(asking({ 'nvidia.com/gpu': '1' })),
      node: node(),
      reasons: ['Insufficient nvidia.com/gpu'],
    },
  ])('$what', ({ pod: wanted, node: candidate, reasons }) => {
    expect(refusalOf(wanted, candidate, [])?.reasons).toEqual(reasons);
  });

  it('counts the pods it has, and what they ask for', () => {
    const others = [pod(asking({ cpu: '3' }))];
    expect(refusalOf(pod(asking({ cpu: '2' })), node(), others)).toEqual({
      reasons: ['Insufficient cpu'],
      isFinal: false,
    });
    expect(refusalOf(pod(), node(), [...others, pod()])?.reasons).toEqual(['Too many pods']);
  });

  it('counts the largest init container where it asks for more', () => {
    const wanted = pod({
      ...asking({ cpu: '1' }),
      initContainers: [{ name: 'i', image: 'b', resources: { requests: { cpu: '5' } } }],
    });
    expect(refusalOf(wanted, node(), [])?.reasons).toEqual(['Insufficient cpu']);
  });
});

describe('the scheduler says', () => {
  it.each([
    { refusals: [], message: 'no nodes available to schedule pods' },
    {
      refusals: [{ reasons: ['node(s) had untolerated taint(s)'], isFinal: true }],
      message:
        '0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
    },
    {
      refusals: [
        { reasons: ['Too many pods'], isFinal: false },
        { reasons: ['node(s) had untolerated taint(s)'], isFinal: true },
        { reasons: ['node(s) had untolerated taint(s)'], isFinal: true },
      ],
      message:
        '0/3 nodes are available: 1 Too many pods, 2 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.',
    },
  ])('$message', ({ refusals, message }) => {
    expect(describeRefusals(refusals)).toBe(message);
  });
});
