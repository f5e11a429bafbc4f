import { describe, expect, it } from 'vitest';
import { prunableObservations } from '../../../../src/adapters/dynamodb/prune.ts';
import type { Attempt } from '../../../../src/model/attempt.ts';
import type { PodRow } from '../../../../src/model/pod-row.ts';
import type { WorkloadPhase } from '../../../../src/model/workload.ts';
import { workloadOf } from '../../../contract/stores/samples.ts';

const rowOf = (attempts: readonly number[], attempt: number, phase: WorkloadPhase): PodRow => ({
  pod: { namespace: 'default', name: 'web', uid: 'a1' },
  node: 'fargate',
  wanted: 1,
  seen: 1,
  observations: { task: workloadOf('a1', { id: 'task', attempt, phase }) },
  state: { attempts: attempts.map((n): Attempt => ({ attempt: n, try: 1 })), restarts: {} },
});

describe('prunableObservations', () => {
  it.each([
    {
      want: 'goes when it stopped and is older than the state',
      attempts: [2, 3],
      attempt: 1,
      phase: 'stopped',
      ids: ['task'],
    },
    { want: 'stays while it runs', attempts: [2, 3], attempt: 1, phase: 'running', ids: [] },
    { want: 'stays while its attempt is in the state', attempts: [2, 3], attempt: 2, phase: 'stopped', ids: [] },
    { want: 'stays when the state does not know it yet', attempts: [2, 3], attempt: 4, phase: 'stopped', ids: [] },
    { want: 'stays when the state knows no attempt', attempts: [], attempt: 1, phase: 'stopped', ids: [] },
  ] as const)('an observation $want', ({ attempts, attempt, phase, ids }) => {
    expect(prunableObservations(rowOf(attempts, attempt, phase))).toEqual(ids);
  });
});
