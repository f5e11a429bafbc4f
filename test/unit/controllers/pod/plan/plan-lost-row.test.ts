import { describe, expect, it } from 'vitest';
import { planPodSync } from '../../../../../src/controllers/pod/plan/plan-pod-sync.ts';
import { aView } from '../../../../support/a-view.ts';
import { minutes, NOW } from '../../../../support/a-workload.ts';
import { planOf, type Race, raceTests } from './races.ts';

const LOST_ROWS: readonly Race[] = [
  {
    when: 'a pod of a lost row has a start time',
    pod: { status: { startTime: '2030-01-01T11:00:00Z' } },
    state: { recovered: false },
    then: ['find'],
  },
  {
    when: 'a pod of a lost row is two minutes old',
    pod: { metadata: { creationTimestamp: '2030-01-01T11:58:00Z' } },
    state: { recovered: false },
    then: ['find'],
  },
  { when: 'a young pod has a new row', state: { recovered: false }, then: ['remember'] },
  {
    when: 'the pod of a new row is over',
    pod: { status: { phase: 'Succeeded' } },
    state: { recovered: false },
    then: ['remember'],
  },
];

describe('planPodSync', () => {
  raceTests(LOST_ROWS);

  it('gives a started pod up whose workload is nowhere to be found', () => {
    const [action] = planPodSync(
      aView({
        pod: { status: { startTime: '2030-01-01T11:00:00Z' } },
        state: { recovered: false, notFound: { at: NOW - minutes(2), lastAt: NOW - minutes(1), reads: 2 } },
        found: { workloads: [] },
      }),
    );
    expect(action).toMatchObject({ kind: 'remember', state: { recovered: true, failure: { reason: 'TaskLost' } } });
  });

  it.each([
    { provider: 'whose requests may still arrive', isConclusive: false, held: NOW + minutes(6) },
    { provider: 'that knows everything it runs', isConclusive: true, held: undefined },
  ])('holds a pod that was tried back at a provider $provider', ({ isConclusive, held }) => {
    const [action] = planPodSync(
      aView({
        pod: { metadata: { creationTimestamp: '2030-01-01T11:00:00Z' }, status: { reason: 'OutOfCapacity' } },
        state: { recovered: false },
        found: { workloads: [], isConclusive },
      }),
    );
    expect(action?.kind === 'remember' && action.state.noNewTokenBefore).toBe(held);
  });

  it('launches an old pod that was never started, once nothing was found', () => {
    const wish = { pod: { metadata: { creationTimestamp: '2030-01-01T11:00:00Z' } }, found: { workloads: [] } };
    expect(planPodSync(aView({ ...wish, state: { recovered: false } }))).toMatchObject([
      { kind: 'remember', state: { recovered: true } },
    ]);
    expect(planOf(wish)).toEqual(['prepare 1.1']);
  });
});
