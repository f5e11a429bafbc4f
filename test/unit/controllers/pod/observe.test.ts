import { describe, expect, it } from 'vitest';
import { stateOf } from '../../../../src/controllers/pod/observe.ts';
import type { PodRow, PodState } from '../../../../src/model/pod-row.ts';

const NOW = Date.parse('2030-01-01T00:10:00Z');
const CLAIM_END = Date.parse('2030-01-01T00:09:00Z');

const rowWith = (state: Partial<PodState>): PodRow => ({
  pod: { namespace: 'default', name: 'web', uid: 'uid-1' },
  node: 'fargate',
  wanted: 2,
  seen: 1,
  observations: {},
  state: { attempts: [], restarts: {}, ...state },
  abandonedClaimUntil: CLAIM_END,
});

describe('a claim taken over from a holder that vanished', () => {
  it('allows no new token for five minutes where a request may be under way', () => {
    const launch = { request: { body: '{}' }, unknown: true };
    const state = stateOf(rowWith({ attempts: [{ attempt: 1, try: 1, launch }] }), NOW);
    expect(state.noNewTokenBefore).toBe(CLAIM_END + 300_000);
  });

  it('holds nothing back where no intent was written: nothing can have been sent', () => {
    expect(stateOf(rowWith({}), NOW)).not.toHaveProperty('noNewTokenBefore');
  });
});
