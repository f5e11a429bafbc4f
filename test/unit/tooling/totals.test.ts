import { describe, expect, it } from 'vitest';
import { closingLine, totalsOf } from '../../../scripts/totals.ts';

const report = (testResults: readonly object[], counts: object): string =>
  JSON.stringify({ numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, ...counts, testResults });

describe('totalsOf', () => {
  it('counts what passed, failed and was skipped or left to do', () => {
    const text = report([], { numPassedTests: 5, numFailedTests: 2, numPendingTests: 3, numTodoTests: 1 });
    expect(totalsOf(text, 1)).toEqual({ passed: 5, failed: 2, skipped: 4 });
  });

  it('counts a file that failed as a whole as one failure', () => {
    const doesNotLoad = { status: 'failed', assertionResults: [] };
    const failingHook = { status: 'failed', assertionResults: [{ status: 'skipped' }] };
    const failingTest = { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] };
    const text = report([doesNotLoad, failingHook, failingTest], {
      numPassedTests: 1,
      numFailedTests: 1,
      numPendingTests: 1,
    });
    expect(totalsOf(text, 1)).toEqual({ passed: 1, failed: 3, skipped: 1 });
  });

  it('counts a run that ended badly with no failure in its report as one failure', () => {
    expect(totalsOf(report([], { numPassedTests: 4 }), 1)).toEqual({ passed: 4, failed: 1, skipped: 0 });
  });

  it('counts a run without a report as one failure, whatever its exit code', () => {
    expect(totalsOf(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});

describe('closingLine', () => {
  it('reads as the line that is added up', () => {
    expect(closingLine({ passed: 12, failed: 0, skipped: 3 })).toBe('12 passed, 0 failed, 3 skipped');
  });
});
