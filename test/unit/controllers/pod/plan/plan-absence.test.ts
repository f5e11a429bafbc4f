import { describe } from 'vitest';
import { anAttempt, aStopped, aWorkload, NOW, seconds } from '../../../../support/a-workload.ts';
import { absent, cluster, type Race, raceTests, requested, running } from './races.ts';

const ABSENCES: readonly Race[] = [
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
];

describe('planPodSync', () => {
  raceTests(ABSENCES);
});
