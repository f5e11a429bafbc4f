import { describe } from 'vitest';
import { anAttempt, aStopped, aWorkload, minutes, NOW, seconds } from '../../../../support/a-workload.ts';
import { DELETED, type Race, raceTests, requested, running } from './races.ts';

const DELETIONS: readonly Race[] = [
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
];

describe('planPodSync', () => {
  raceTests(DELETIONS);
});
