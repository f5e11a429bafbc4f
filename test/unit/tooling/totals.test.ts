import { describe, expect, it } from 'vitest';
import { closingLine, secondAttempts, totalsOf } from '../../../scripts/totals.ts';

const report = (testResults: readonly object[], counts: object): string =>
  JSON.stringify({ numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, ...counts, testResults });

const file = (status: string, ...assertionResults: readonly object[]): object => ({
  name: '/project/test/a.test.ts',
  status,
  assertionResults: assertionResults.map((test) => ({ fullName: 'a test', failureMessages: [], ...test })),
});

describe('totalsOf', () => {
  it('counts what passed, failed and was skipped or left to do', () => {
    const text = report([], { numPassedTests: 5, numFailedTests: 2, numPendingTests: 3, numTodoTests: 1 });
    expect(totalsOf(text, 1)).toEqual({ passed: 5, failed: 2, skipped: 4 });
  });

  it('counts a file that failed as a whole as one failure', () => {
    const doesNotLoad = file('failed');
    const failingHook = file('failed', { status: 'skipped' });
    const failingTest = file('failed', { status: 'failed' }, { status: 'passed' });
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

describe('secondAttempts', () => {
  it('names each test that passed, but not at once, with what it failed with', () => {
    const text = report(
      [
        file('passed', { status: 'passed' }, { status: 'passed', failureMessages: ['Error: too slow\n    at b.ts'] }),
        file('failed', { status: 'failed', failureMessages: ['Error: no', 'Error: no'] }, { status: 'skipped' }),
      ],
      { numPassedTests: 2, numFailedTests: 1 },
    );
    expect(secondAttempts(text)).toEqual([
      'needed a second attempt: /project/test/a.test.ts > a test: Error: too slow',
    ]);
  });

  it('has nothing to say of a run without a report', () => {
    expect(secondAttempts(undefined)).toEqual([]);
  });
});

describe('closingLine', () => {
  it('reads as the line that is added up', () => {
    expect(closingLine({ passed: 12, failed: 0, skipped: 3 })).toBe('12 passed, 0 failed, 3 skipped');
  });
});
