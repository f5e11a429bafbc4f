import { describe, expect, it } from 'vitest';
import { expectationOf, isSettled } from '../../../../src/controllers/pod/expectation.ts';
import { aPod } from '../../../support/a-pod.ts';

const there = { kind: 'found', pod: aPod() } as const;
const deleted = { metadata: { ...aPod().metadata, deletionTimestamp: '2030-01-01T00:00:30Z' } };
const going = { kind: 'found', pod: { ...aPod(), ...deleted } } as const;
const unbound = { kind: 'unbound', pod: aPod() } as const;
const gone = { kind: 'absent' } as const;

describe('what a wake has seen coming', () => {
  it.each([
    ['create', 'created'],
    ['delete', 'deleted'],
    ['bind', undefined],
    ['resync', undefined],
    ['timer', undefined],
    ['watch', undefined],
    ['requeue', undefined],
  ] as const)('%s: %s', (reason, expected) => {
    expect(expectationOf(reason)).toBe(expected);
  });

  it.each([
    ['a pod that is there', there, undefined, true],
    ['a pod that is gone', gone, undefined, true],
    ['a pod that is not bound yet', unbound, undefined, false],
    ['a created pod that does not show yet', gone, 'created', false],
    ['a created pod that shows', there, 'created', true],
    ['a deleted pod that does not say so yet', there, 'deleted', false],
    ['a deleted pod that is going', going, 'deleted', true],
    ['a deleted pod that is gone', gone, 'deleted', true],
    ['a deleted pod that was never bound', unbound, 'deleted', false],
  ] as const)('%s', (_what, reading, expects, settled) => {
    expect(isSettled(reading, expects)).toBe(settled);
  });
});
