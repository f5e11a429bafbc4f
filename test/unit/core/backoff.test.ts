import { describe, expect, it } from 'vitest';
import { delaySecondsAfter, nextDelaySeconds, spread } from '../../../src/core/backoff.ts';

const CURVE = { initialSeconds: 10, maxSeconds: 300 };

describe('back-off', () => {
  it.each([
    [undefined, 10],
    [10, 20],
    [160, 300],
    [300, 300],
  ])('after a wait of %s s comes one of %i s', (previous, next) => {
    expect(nextDelaySeconds(CURVE, previous)).toBe(next);
  });

  it.each([
    [0, 10],
    [1, 10],
    [2, 20],
    [6, 300],
    [5_000, 300],
  ])('after %i failures in a row: %i s', (failures, seconds) => {
    expect(delaySecondsAfter(CURVE, failures)).toBe(seconds);
  });
});

it.each([
  { chance: 0, ms: 10_000 },
  { chance: 0.5, ms: 7_500 },
  { chance: 0.999_999, ms: 5_000 },
])('a wait of 10 s is spread to $ms ms by a chance of $chance', ({ chance, ms }) => {
  expect(spread(10_000, chance)).toBe(ms);
});
