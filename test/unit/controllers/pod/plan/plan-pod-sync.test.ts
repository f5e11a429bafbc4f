import { describe, expect, it } from 'vitest';
import { planPodSync } from '../../../../../src/controllers/pod/plan/plan-pod-sync.ts';
import { aView } from '../../../../support/a-view.ts';
import { aContainer, anAttempt, aStopped, aWorkload, minutes, NOW, seconds } from '../../../../support/a-workload.ts';
import { planOf, type Race, raceTests, running } from './races.ts';

const RACES: readonly Race[] = [
  // Launch
  { when: 'a new pod is bound', then: ['prepare 1.1'] },
  { when: 'the node has not been read yet', nodeRow: undefined, then: ['read-node'] } as never,
  {
    when: 'a launch is prepared',
    state: { attempts: [{ attempt: 1, try: 1, launch: { request: { body: 'b' }, unknown: false } }] },
    then: ['send'],
  },
  {
    when: 'a back-off is not over',
    state: {
      attempts: [{ attempt: 1, try: 2 }],
      backOff: { until: NOW + seconds(7), seconds: 10, at: NOW - seconds(3), reason: 'Throttled', message: 'm' },
    },
    then: ['push-status'],
  },
  {
    when: 'a holder vanished four minutes ago: no new token yet, its request may still arrive',
    state: { noNewTokenBefore: NOW + minutes(1), pushedStatus: '5bd7d5dfcd52ee49:7' },
    then: ['push-status'],
  },
  {
    when: 'the old workload is still stopping: no next one',
    state: { attempts: [anAttempt(aStopped(1, { phase: 'stopping' }))] },
    then: ['push-status'],
  },
  {
    when: 'the pod is over on the server: never launched again',
    pod: { status: { phase: 'Failed' } },
    state: { finished: 'Failed' },
    then: ['wait'],
  },

  // Ends and verdicts
  {
    when: 'the deadline has passed',
    pod: { activeDeadlineSeconds: 60, status: { startTime: '2030-01-01T11:59:00Z' } },
    state: { attempts: [running] },
    then: ['remember durably'],
  },
  {
    when: 'a verdict is out and the workload lives',
    state: { attempts: [running], failure: { reason: 'DeadlineExceeded', message: 'm', at: NOW } },
    then: ['stop task-1 within 30 s'],
  },
  {
    when: 'the server holds a terminal phase and a workload lives: the reason comes before the stop',
    pod: { status: { phase: 'Failed' } },
    state: { attempts: [running] },
    then: ['remember durably'],
  },
  {
    when: 'the row holds a terminal phase and a workload lives',
    pod: { status: { phase: 'Failed' } },
    state: { attempts: [running], finished: 'Failed' },
    then: ['stop task-1 within 30 s'],
  },
  {
    when: 'a second workload lives',
    state: { attempts: [running] },
    workloads: [aWorkload(), aWorkload({ id: 'task-x' })],
    then: ['stop task-x within 0 s'],
  },
  {
    when: 'a container that restarts always has ended',
    state: { attempts: [anAttempt(aStopped(0))] },
    then: ['remember'],
  },
  {
    when: 'the last container of a job has succeeded',
    pod: { restartPolicy: 'OnFailure' },
    state: { attempts: [anAttempt(aStopped(0))] },
    then: ['push-status'],
  },
  {
    when: 'L-09 the provider has forgotten the workload',
    pod: { restartPolicy: 'Never' },
    state: { attempts: [{ ...running, lostAt: NOW }] },
    then: ['remember'],
  },

  // Silence
  {
    when: 'a running workload has been silent for five minutes',
    state: { attempts: [{ ...running, seenAt: NOW - minutes(5) }] },
    then: ['describe task-1'],
  },
  {
    when: 'a starting one for a minute',
    state: { attempts: [anAttempt(aWorkload({ phase: 'starting' }), { seenAt: NOW - minutes(1) })] },
    then: ['describe task-1'],
  },
  {
    when: 'one was missing a minute ago',
    state: { attempts: [running], missing: { 'task-1': { at: NOW - minutes(1), lastAt: NOW - minutes(1), reads: 1 } } },
    then: ['push-status'],
  },
  {
    when: 'T-06 a finished pod: nothing is asked any more',
    pod: { status: { phase: 'Succeeded' } },
    state: {
      attempts: [anAttempt(aStopped(0), { seenAt: 0 })],
      finished: 'Succeeded',
      recorded: ['1/Created/main/Normal', '1/Started/main/Normal'],
    },
    then: ['wait'],
  },
];

describe('planPodSync', () => {
  raceTests(RACES);

  it('adopts nothing and launches nothing on a node that is not adopted', () => {
    expect(planOf({ nodeRow: {} })).toEqual(['push-status']);
  });

  it('changes neither the view nor anything in it', () => {
    const view = aView({ state: { attempts: [anAttempt(aStopped(1))] } });
    const before = structuredClone(view);
    planPodSync(deepFrozen(view));
    expect(view).toEqual(before);
  });

  it('C-12 answers the same for the same view', () => {
    const view = aView({
      state: { attempts: [anAttempt(aWorkload({ containers: [aContainer({ health: 'unknown' })] }))] },
    });
    expect(planPodSync(view)).toEqual(planPodSync(view));
  });
});

const deepFrozen = <T>(value: T): T => {
  if (value !== null && typeof value === 'object') {
    for (const member of Object.values(value)) deepFrozen(member);
    Object.freeze(value);
  }
  return value;
};
