import { expect, it } from 'vitest';
import { toNodeConditions } from '../../../../src/controllers/node/node-conditions.ts';
import type { Node } from '../../../../src/model/kubernetes.ts';

const NOW = Date.parse('2030-01-01T01:00:00.500Z');
const BEFORE = '2030-01-01T00:00:00Z';
const UP = { reachable: 'True', ready: true } as const;

const nodeWith = (...conditions: [string, string][]): Node => ({
  status: {
    conditions: conditions.map(([type, status]) => ({
      type,
      status,
      lastHeartbeatTime: BEFORE,
      lastTransitionTime: BEFORE,
    })),
  },
});

it('answers our six conditions and none of others', () => {
  const conditions = toNodeConditions(UP, { before: nodeWith(['NetworkDegraded', 'True']), now: NOW });
  expect(conditions.map(({ type, status }) => [type, status])).toEqual([
    ['Ready', 'True'],
    ['FargateReachable', 'True'],
    ['MemoryPressure', 'False'],
    ['DiskPressure', 'False'],
    ['PIDPressure', 'False'],
    ['NetworkUnavailable', 'False'],
  ]);
});

it('moves heartbeats always, transitions only with the status', () => {
  const before = nodeWith(['Ready', 'Unknown'], ['MemoryPressure', 'False']);
  const times = toNodeConditions(UP, { before, now: NOW }).map((condition) => [
    condition.type,
    condition.lastHeartbeatTime,
    condition.lastTransitionTime,
  ]);
  expect(times.slice(0, 3)).toEqual([
    ['Ready', '2030-01-01T01:00:00Z', '2030-01-01T01:00:00Z'],
    ['FargateReachable', '2030-01-01T01:00:00Z', '2030-01-01T01:00:00Z'],
    ['MemoryPressure', '2030-01-01T01:00:00Z', '2030-01-01T00:00:00Z'],
  ]);
});

it('says since when the provider is silent and what goes on', () => {
  const silent = { reachable: 'False', ready: false, unreachableSince: NOW - 600_000 } as const;
  expect(toNodeConditions(silent, { before: undefined, now: NOW })[0]).toEqual({
    type: 'Ready',
    status: 'False',
    reason: 'ProviderUnreachable',
    message: 'the provider has not answered since 2030-01-01T00:50:00Z; running pods go on, new ones wait',
    lastHeartbeatTime: '2030-01-01T01:00:00Z',
    lastTransitionTime: '2030-01-01T01:00:00Z',
  });
});
