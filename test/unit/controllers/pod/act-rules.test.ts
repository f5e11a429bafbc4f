import { describe, expect, it } from 'vitest';
import { withMissing } from '../../../../src/controllers/pod/act/describe.ts';
import { withRefusal } from '../../../../src/controllers/pod/act/note-capacity.ts';
import type { PodState } from '../../../../src/model/pod-row.ts';
import type { NodeFields } from '../../../../src/ports/node-store.ts';
import { anAttempt, aWorkload, minutes, NOW, seconds } from '../../../support/a-workload.ts';

const old = anAttempt(aWorkload({ createdAt: NOW - minutes(30) }));
const stateOf = (reads: number, firstAgoMs: number, attempt = old): PodState => ({
  attempts: [attempt],
  restarts: {},
  ...(reads > 0 && { missing: { 'task-1': { at: NOW - firstAgoMs, lastAt: NOW - seconds(30), reads } } }),
});

describe('a workload that is not found', () => {
  it.each([
    { when: 'for the first time', state: stateOf(0, 0), lost: false },
    { when: 'for the third time within two minutes', state: stateOf(2, seconds(119)), lost: false },
    { when: 'for the second time, after two minutes', state: stateOf(1, minutes(2)), lost: false },
    { when: 'for the third time, after two minutes', state: stateOf(2, minutes(2)), lost: true },
    {
      when: 'as often, but five minutes after its launch',
      state: stateOf(2, minutes(2), anAttempt(aWorkload({ createdAt: NOW - minutes(5) }))),
      lost: false,
    },
  ])('$when: lost is $lost', ({ state, lost }) => {
    expect(withMissing(state, 'task-1', NOW).attempts[0]?.lostAt).toBe(lost ? NOW : undefined);
  });
});

describe('a node that is refused room', () => {
  const now = NOW;
  it.each([
    { when: 'two pods are refused', row: { refusals: { a: NOW } }, isQuota: false, out: false },
    { when: 'three pods are refused', row: { refusals: { a: NOW, b: NOW } }, isQuota: false, out: true },
    { when: 'one pod is refused three times', row: { refusals: { c: NOW } }, isQuota: false, out: false },
    {
      when: 'the others were refused more than five minutes ago',
      row: { refusals: { a: NOW - minutes(5), b: 0 } },
      isQuota: false,
      out: false,
    },
    { when: 'the quota is used up', row: {}, isQuota: true, out: true },
    { when: 'it was out already', row: { outOfCapacityUntil: NOW + 1 }, isQuota: false, out: true },
  ])('is out: $out, when $when', ({ row, isQuota, out }) => {
    expect(withRefusal(row, 'c', { isQuota, now }).outOfCapacityUntil).toBe(out ? NOW + minutes(5) : undefined);
  });

  it('remembers no more of a burst than it needs, the latest of them', () => {
    let row: NodeFields = {};
    for (let pod = 0; pod < 10_000; pod += 1)
      row = withRefusal({ refusals: row.refusals ?? {} }, `pod-${pod}`, { isQuota: false, now: NOW + pod });
    expect(row.refusals).toEqual({ 'pod-9997': NOW + 9_997, 'pod-9998': NOW + 9_998, 'pod-9999': NOW + 9_999 });
    expect(row.outOfCapacityUntil).toBe(NOW + 9_999 + minutes(5));
  });

  it('counts a pod that is refused again and again once', () => {
    let row: NodeFields = {};
    for (let times = 0; times < 5; times += 1)
      row = withRefusal({ refusals: row.refusals ?? {} }, 'pod-1', { isQuota: false, now: NOW + times });
    expect(row).toEqual({ refusals: { 'pod-1': NOW + 4 } });
  });
});
