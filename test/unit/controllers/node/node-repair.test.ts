import { describe, expect, it } from 'vitest';
import { toDesiredNode } from '../../../../src/controllers/node/desired-node.ts';
import type { NodeDefinition } from '../../../../src/controllers/node/node-definition.ts';
import { planNodeRepair } from '../../../../src/controllers/node/node-repair.ts';
import type { Node, Taint } from '../../../../src/model/kubernetes.ts';

const deployment = { name: 'dev', provider: 'fargate', version: '0.1.0' };
const definition: NodeDefinition = { name: 'fargate', architecture: 'amd64', capacity: { cpu: '4' } };
const desired = toDesiredNode(definition, deployment);
const STANDARD: Taint = { key: 'virtual-kubelet.io/provider', value: 'fargate', effect: 'NoSchedule' };
const FOREIGN: Taint = {
  key: 'node.kubernetes.io/unschedulable',
  effect: 'NoSchedule',
  timeAdded: '2030-01-01T00:00:00Z',
};
const FULL: Taint = { key: 'svk.dev/out-of-capacity', effect: 'NoSchedule' };

const node = (change: { metadata?: Node['metadata']; spec?: Node['spec'] } = {}): Node => ({
  metadata: {
    name: 'fargate',
    resourceVersion: '7',
    labels: { ...desired.labels, ...change.metadata?.labels },
    annotations: { ...desired.annotations, ...change.metadata?.annotations },
  },
  spec: { providerID: 'svk://dev/fargate', taints: [STANDARD], ...change.spec },
});

const plan = (actual: Node, outOfCapacity = false): ReturnType<typeof planNodeRepair> =>
  planNodeRepair(actual, desired, { outOfCapacity });

it('asks for nothing where all is as desired', () => {
  expect(plan(node())).toBeUndefined();
});

it('asks for nothing because of what others added', () => {
  const labels = { team: 'a' };
  const annotations = { 'example.com/note': 'b' };
  expect(plan(node({ metadata: { labels, annotations }, spec: { taints: [FOREIGN, STANDARD] } }))).toBeUndefined();
});

it('names the version it was made of', () => {
  expect(plan(node({ metadata: { labels: { type: 'x' } } }))).toEqual({
    metadata: { resourceVersion: '7', labels: { type: 'virtual-kubelet' }, annotations: {} },
    spec: {},
  });
});

it('sets the provider id where it is missing, and never changes one', () => {
  const { providerID: _, ...rest } = node().spec ?? {};
  expect(plan({ ...node(), spec: rest })?.spec).toEqual({ providerID: 'svk://dev/fargate' });
  expect(plan(node({ spec: { providerID: 'other://x' } }))).toBeUndefined();
});

describe('taints', () => {
  it.each<{ want: string; actual: Taint[]; full?: boolean; taints: Taint[] | undefined }>([
    { want: 'restores one that was removed', actual: [FOREIGN], taints: [FOREIGN, STANDARD] },
    {
      want: 'restores a value that was changed',
      actual: [{ ...STANDARD, value: 'x' }, FOREIGN],
      taints: [FOREIGN, STANDARD],
    },
    { want: 'adds out-of-capacity', actual: [STANDARD, FOREIGN], full: true, taints: [FOREIGN, STANDARD, FULL] },
    { want: 'keeps out-of-capacity', actual: [FULL, STANDARD], full: true, taints: undefined },
    { want: 'removes out-of-capacity', actual: [STANDARD, FULL, FOREIGN], taints: [FOREIGN, STANDARD] },
    {
      want: 'keeps the same key with another effect: that is another taint',
      actual: [STANDARD, { ...STANDARD, effect: 'NoExecute' }],
      taints: undefined,
    },
  ])('$want', ({ actual, full = false, taints }) => {
    expect(plan(node({ spec: { taints: actual } }), full)?.spec.taints).toEqual(taints);
  });
});

describe('settings that changed', () => {
  const before = toDesiredNode(
    { ...definition, labels: { zone: 'a' }, taints: [{ key: 'old', effect: 'NoSchedule' }] },
    deployment,
  );
  const actual: Node = {
    metadata: { resourceVersion: '7', labels: { ...before.labels, team: 'a' }, annotations: { ...before.annotations } },
    spec: { providerID: 'svk://dev/fargate', taints: [...before.taints, FOREIGN] },
  };

  it('take away the labels and taints that came from us, and no others', () => {
    expect(plan(actual)).toEqual({
      metadata: {
        resourceVersion: '7',
        labels: { zone: null },
        annotations: { 'svk.dev/managed': desired.annotations['svk.dev/managed'] },
      },
      spec: { taints: [FOREIGN, STANDARD] },
    });
  });

  it('take away nothing where somebody made our memory of it unreadable', () => {
    const broken = { ...actual.metadata, annotations: { 'svk.dev/deployment': 'dev', 'svk.dev/managed': 'x' } };
    expect(plan({ ...actual, metadata: broken })).toMatchObject({
      metadata: { labels: {} },
      spec: { taints: [{ key: 'old', effect: 'NoSchedule' }, FOREIGN, STANDARD] },
    });
  });
});
