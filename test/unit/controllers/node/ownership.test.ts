import { describe, expect, it } from 'vitest';
import { toLease } from '../../../../src/controllers/node/lease-object.ts';
import { isOurLease, isOurNode } from '../../../../src/controllers/node/ownership.ts';
import type { Lease, Node } from '../../../../src/model/kubernetes.ts';

const deployment = { name: 'dev', provider: 'fargate', version: '0.1.0' };
const NOW = Date.parse('2030-01-01T00:01:00Z');
const UID = '22222222-2222-4222-a222-222222222222';

describe('a node of our name', () => {
  it.each<{ want: string; node: Node; ours: boolean }>([
    {
      want: 'is ours by its annotation',
      node: { metadata: { annotations: { 'svk.dev/deployment': 'dev' } } },
      ours: true,
    },
    {
      want: 'is not ours with the annotation of another deployment, whatever else it says',
      node: {
        metadata: { name: 'a', annotations: { 'svk.dev/deployment': 'prod' } },
        spec: { providerID: 'svk://dev/a' },
      },
      ours: false,
    },
    {
      want: 'is ours by its provider id where the annotation was removed',
      node: { metadata: { name: 'a' }, spec: { providerID: 'svk://dev/a' } },
      ours: true,
    },
    { want: 'is not ours where nothing says so', node: { metadata: { name: 'a' } }, ours: false },
  ])('$want', ({ node, ours }) => {
    expect(isOurNode(node, deployment)).toBe(ours);
  });
});

describe('a lease of our name', () => {
  const fresh = '2030-01-01T00:00:50.000000Z';
  const old = '2030-01-01T00:00:10.000000Z';
  it.each<{ want: string; lease: Lease; ours: boolean }>([
    {
      want: 'is ours by its annotation',
      lease: { metadata: { annotations: { 'svk.dev/deployment': 'dev' } } },
      ours: true,
    },
    {
      want: 'is never taken from another deployment, however old',
      lease: { metadata: { annotations: { 'svk.dev/deployment': 'prod' } }, spec: { renewTime: old } },
      ours: false,
    },
    {
      want: 'is ours where our node owns it',
      lease: {
        metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid: UID }] },
        spec: { renewTime: fresh },
      },
      ours: true,
    },
    { want: 'is left over where nobody renews it', lease: { spec: { renewTime: old } }, ours: true },
    { want: 'is left over where it was never renewed', lease: {}, ours: true },
    { want: 'belongs to whoever renews it', lease: { spec: { renewTime: fresh } }, ours: false },
  ])('$want', ({ lease, ours }) => {
    expect(isOurLease(lease, deployment, { nodeUid: UID, now: NOW })).toBe(ours);
  });
});

it('renews a lease with its node as owner and keeps what others put there', () => {
  const before: Lease = {
    metadata: {
      name: 'a',
      resourceVersion: '5',
      labels: { team: 'a' },
      annotations: { 'example.com/note': 'b' },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Node', name: 'a', uid: '33333333-3333-4333-a333-333333333333' },
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '44444444-4444-4444-a444-444444444444' },
      ],
    },
    spec: { holderIdentity: 'b', leaseTransitions: 2, renewTime: '2030-01-01T00:00:00.000000Z' },
  };
  expect(toLease({ metadata: { name: 'a', uid: UID } }, deployment, { before, by: 'beat', now: NOW + 7 })).toEqual({
    metadata: {
      name: 'a',
      namespace: 'kube-node-lease',
      resourceVersion: '5',
      labels: { team: 'a' },
      annotations: { 'example.com/note': 'b', 'svk.dev/deployment': 'dev', 'svk.dev/renewed-by': 'beat' },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '44444444-4444-4444-a444-444444444444' },
        { apiVersion: 'v1', kind: 'Node', name: 'a', uid: UID },
      ],
    },
    spec: {
      holderIdentity: 'a',
      leaseDurationSeconds: 40,
      leaseTransitions: 2,
      renewTime: '2030-01-01T00:01:00.007000Z',
    },
  });
});
