import { describe, expect, it } from 'vitest';
import { planPodSync } from '../../../../../src/controllers/pod/plan/plan-pod-sync.ts';
import { aView } from '../../../../support/a-view.ts';
import { minutes, NOW, seconds } from '../../../../support/a-workload.ts';
import { absent, cluster, DELETED, type Race, raceTests, requested, sent } from './races.ts';

const UNANSWERED: readonly Race[] = [
  {
    when: 'a launch went unanswered just now',
    state: {
      attempts: [sent(seconds(30), seconds(30))],
      backOff: { until: NOW, seconds: 10, at: NOW, reason: 'LaunchUnanswered', message: 'm' },
    },
    then: ['send'],
  },
  {
    when: 'its signed address has run out: looked up, not sent',
    state: { attempts: [sent(minutes(20), minutes(10), { request: { body: 'b', validUntil: NOW } })] },
    then: ['find'],
  },
  {
    when: 'it has been sent for forty minutes: looked up, not sent',
    state: { attempts: [sent(minutes(50), minutes(10))] },
    then: ['find'],
  },
  {
    when: 'the last request is nine minutes old: too early for a look-up to prove anything',
    state: { attempts: [sent(minutes(50), minutes(9))] },
    then: ['push-status'],
  },
  {
    when: 'it was looked up in time and not found: a definite no',
    state: { attempts: [sent(minutes(54), minutes(12))] },
    found: { workloads: [] },
    then: ['remember durably'],
  },
  {
    when: 'its pod is being deleted meanwhile: looked up at once, never sent',
    pod: { metadata: DELETED },
    state: { attempts: [sent(seconds(5), seconds(5))] },
    then: ['find'],
  },
  {
    when: 'it was not found, too early, and its pod is being deleted: the object stays',
    pod: { metadata: DELETED },
    state: { attempts: [sent(seconds(5), seconds(5))], lookedUpAt: NOW, deletion: requested },
    found: { workloads: [] },
    then: ['push-status'],
  },
  {
    when: 'its pod is gone: the row stays',
    pod: { kind: 'absent' },
    state: { attempts: [sent(minutes(1), minutes(1))], lookedUpAt: NOW, podAbsentSince: absent(5, 60) },
    cluster,
    found: { workloads: [] },
    then: ['wait 60 s'],
  },
];

describe('planPodSync', () => {
  raceTests(UNANSWERED);

  it('moves to the next try, with new bytes, after a definite no', () => {
    const [action] = planPodSync(
      aView({ state: { attempts: [sent(minutes(54), minutes(12))] }, found: { workloads: [] } }),
    );
    expect(action).toMatchObject({ kind: 'remember', state: { attempts: [{ attempt: 1, try: 2 }] } });
    expect(action).not.toHaveProperty('state.attempts.0.launch');
    expect(action).not.toHaveProperty('state.failure');
  });

  it('gives the pod up where not finding its workload proves nothing any more', () => {
    const [action] = planPodSync(
      aView({ state: { attempts: [sent(minutes(56), minutes(12))] }, found: { workloads: [] } }),
    );
    expect(action).toMatchObject({ kind: 'remember', durable: true, state: { failure: { reason: 'TaskLost' } } });
  });
});
