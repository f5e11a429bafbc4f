import { describe, expect, it } from 'vitest';
import { kubernetesTime, pullDuration } from '../../../../src/controllers/pod/text.ts';
import { goDuration } from '../../../../src/core/go-duration.ts';

describe('texts of a kubelet', () => {
  it.each([
    [10, '10s'],
    [40, '40s'],
    [80, '1m20s'],
    [160, '2m40s'],
    [300, '5m0s'],
    [14_400, '4h0m0s'],
  ])('prints %i seconds as Go does: %s', (seconds, text) => {
    expect(goDuration(seconds)).toBe(text);
  });

  it.each([
    [850, '850ms'],
    [2_500, '2.5s'],
    [61_234, '61.234s'],
  ])('prints a pull of %i ms as %s', (ms, text) => {
    expect(pullDuration(ms)).toBe(text);
  });

  it('prints times in whole seconds', () => {
    expect(kubernetesTime(Date.parse('2030-01-01T00:00:00.999Z'))).toBe('2030-01-01T00:00:00Z');
  });
});
