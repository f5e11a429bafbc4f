import { describe, expect, it } from 'vitest';
import { planPodSync } from '../../../../../src/controllers/pod/plan/plan-pod-sync.ts';
import type { PodAction } from '../../../../../src/controllers/pod/pod-action.ts';
import type { Attempt } from '../../../../../src/model/attempt.ts';
import { aView, type ViewWish } from '../../../../support/a-view.ts';
import { aContainer, anAttempt, aStopped, aWorkload, minutes, NOW, seconds } from '../../../../support/a-workload.ts';

/** What the plan does, in one word each, with what matters of it. */
const words = (actions: readonly PodAction[]): string[] =>
  actions.map((action) => {
    switch (action.kind) {
      case 'prepare':
        return `prepare ${action.attempt}.${action.try}`;
      case 'stop':
        return `stop ${action.workloadId} within ${action.graceSeconds} s`;
      case 'describe':
        return `describe ${action.ids.join()}`;
      case 'remember':
        return action.durable ? 'remember durably' : 'remember';
      case 'wait':
        return action.until === undefined ? 'wait' : `wait ${(action.until - NOW) / 1_000} s`;
      default:
        return action.kind;
    }
  });

const DELETED = { deletionTimestamp: '2030-01-01T12:00:30Z', deletionGracePeriodSeconds: 30 } as const;
const requested = { requestedAt: NOW, graceSeconds: 30, cause: 'requested' } as const;
const absent = (reads: number, agoSeconds: number) => ({ at: NOW - seconds(agoSeconds), lastAt: NOW, reads });
const cluster = { actual: 'cluster-1', registered: 'cluster-1' };
const running = anAttempt(aWorkload());

/** An intent whose requests went out so long ago. */
const sent = (firstAgoMs: number, lastAgoMs: number, wish: Partial<Attempt['launch']> = {}): Attempt => ({
  attempt: 1,
  try: 1,
  launch: {
    request: { body: 'bytes' },
    firstSentAt: NOW - firstAgoMs,
    lastSentAt: NOW - lastAgoMs,
    unknown: true,
    ...wish,
  },
});

const RACES: readonly (ViewWish & { readonly when: string; readonly then: readonly string[] })[] = [
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

  // Unanswered launches
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

  // A row that was lost
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

  // Absence
  {
    when: 'the pod was not found for the first time',
    pod: { kind: 'absent' },
    state: { attempts: [running], podAbsentSince: absent(1, 0) },
    then: ['wait 10 s'],
  },
  {
    when: 'twice within two seconds',
    pod: { kind: 'absent' },
    state: { attempts: [running], podAbsentSince: absent(2, 2) },
    then: ['wait 8 s'],
  },
  {
    when: 'twice, ten seconds apart: which cluster is this?',
    pod: { kind: 'absent' },
    state: { attempts: [running], podAbsentSince: absent(2, 10) },
    then: ['read-cluster'],
  },
  {
    when: 'another cluster answers: nothing is touched',
    pod: { kind: 'absent' },
    state: { attempts: [running], podAbsentSince: absent(9, 99) },
    cluster: { actual: 'other', registered: 'cluster-1' },
    then: ['wait 300 s'],
  },
  {
    when: 'the node was never registered with a cluster: nothing is touched',
    pod: { kind: 'absent' },
    state: { attempts: [running], podAbsentSince: absent(9, 99) },
    cluster: { actual: 'cluster-1', registered: undefined },
    then: ['wait 300 s'],
  },
  {
    when: 'our cluster answers: the intent comes first',
    pod: { kind: 'absent' },
    state: { attempts: [running], podAbsentSince: absent(2, 10) },
    cluster,
    then: ['remember durably'],
  },
  {
    when: 'the intent is written',
    pod: { kind: 'absent' },
    state: { attempts: [running], podAbsentSince: absent(2, 10), deletion: { ...requested, cause: 'absent' } },
    cluster,
    then: ['stop task-1 within 30 s'],
  },
  {
    when: 'its workload is half a minute old: too young to be stopped for that',
    pod: { kind: 'absent' },
    state: { attempts: [anAttempt(aWorkload({ createdAt: NOW - seconds(30) }))], podAbsentSince: absent(4, 20) },
    then: ['wait 30 s'],
  },
  {
    when: 'a finished pod is gone',
    pod: { kind: 'absent' },
    state: { attempts: [anAttempt(aStopped(0))], finished: 'Succeeded', podAbsentSince: absent(1, 0) },
    cluster,
    then: ['forget'],
  },
  {
    when: 'the pod was never launched and is gone',
    pod: { kind: 'absent' },
    state: { podAbsentSince: absent(2, 10) },
    then: ['forget'],
  },
  {
    when: 'we have deleted it and its workload is on its way out',
    pod: { kind: 'absent' },
    state: {
      attempts: [anAttempt(aStopped(143, { phase: 'stopping' }))],
      deletion: { ...requested, sentAt: NOW },
      podAbsentSince: absent(1, 0),
    },
    then: ['wait 30 s'],
  },
  {
    when: 'we have deleted it and its workload has stopped',
    pod: { kind: 'absent' },
    state: {
      attempts: [anAttempt(aStopped(143))],
      deletion: { ...requested, sentAt: NOW },
      podAbsentSince: absent(1, 0),
    },
    then: ['forget'],
  },
  {
    when: 'the binding does not show yet',
    pod: { kind: 'unbound', pod: {} },
    state: { podAbsentSince: absent(1, 0) },
    then: ['wait 10 s'],
  },

  // Deletion
  {
    when: 'a running pod is deleted: intent first',
    pod: { metadata: DELETED },
    state: { attempts: [running] },
    then: ['remember durably'],
  },
  {
    when: 'the delete intent is written',
    pod: { metadata: DELETED },
    state: { attempts: [running], deletion: requested },
    then: ['stop task-1 within 30 s'],
  },
  {
    when: 'a second delete shortens the grace period',
    pod: { metadata: { ...DELETED, deletionGracePeriodSeconds: 5 } },
    state: { attempts: [running], deletion: requested },
    then: ['remember durably'],
  },
  {
    when: 'L-06 the stop was asked for ten seconds ago',
    pod: { metadata: DELETED },
    state: { attempts: [running], deletion: requested, stops: { 'task-1': NOW - seconds(10) } },
    then: ['push-status'],
  },
  {
    when: 'the stop was asked for a minute ago and shows no effect',
    pod: { metadata: DELETED },
    state: { attempts: [running], deletion: requested, stops: { 'task-1': NOW - minutes(1) } },
    then: ['stop task-1 within 30 s'],
  },
  {
    when: 'it is stopping by itself already',
    pod: { metadata: DELETED },
    state: { attempts: [anAttempt(aWorkload({ phase: 'stopping', stopping: true }))], deletion: requested },
    then: ['push-status'],
  },
  {
    when: 'L-05 its containers are down: the terminal status goes first',
    pod: { metadata: DELETED },
    state: { attempts: [anAttempt(aStopped(143, { phase: 'stopping' }))], deletion: requested },
    then: ['push-status'],
  },
  {
    when: 'the terminal status is there',
    pod: { metadata: DELETED, status: { phase: 'Failed' } },
    state: {
      attempts: [anAttempt(aStopped(143))],
      deletion: requested,
      recorded: ['1/Created/main/Normal', '1/Started/main/Normal'],
    },
    then: ['delete-pod'],
  },
  {
    when: 'only a finalizer holds the object',
    pod: { metadata: { ...DELETED, deletionGracePeriodSeconds: 0, finalizers: ['a/b'] }, status: { phase: 'Failed' } },
    state: {
      attempts: [anAttempt(aStopped(143))],
      deletion: { ...requested, graceSeconds: 0 },
      recorded: ['1/Created/main/Normal', '1/Started/main/Normal'],
    },
    then: ['wait 300 s'],
  },
  {
    when: 'a pod that was never launched is deleted',
    pod: { metadata: DELETED, status: { phase: 'Failed' } },
    state: { deletion: requested },
    then: ['delete-pod'],
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
  it.each(RACES)('$when: $then', ({ when: _when, then, ...wish }) => {
    expect(words(planPodSync(aView(wish)))).toEqual(then);
  });

  it('adopts nothing and launches nothing on a node that is not adopted', () => {
    const view = aView({ nodeRow: {} });
    expect(words(planPodSync(view))).toEqual(['push-status']);
  });

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
    expect(words(planPodSync(aView(wish)))).toEqual(['prepare 1.1']);
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
