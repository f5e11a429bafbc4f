import * as z from 'zod/mini';

/** What a run of tests came to. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.nullish(z.array(z.string())) }),
      ),
    }),
  ),
});

/**
 * Totals of a run from Vitest's JSON report. A file that failed as a whole (it does not load, a hook threw) counts as
 * one failure, as does a run that ended badly with nothing failed in its report, or with no report at all.
 */
export function totalsOf(report: string | undefined, exitCode: number): Totals {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const run = z.parse(vitestReport, JSON.parse(report));
  const brokenFiles = run.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  ).length;
  const failed = run.numFailedTests + brokenFiles;
  return {
    passed: run.numPassedTests,
    failed: exitCode !== 0 && failed === 0 ? 1 : failed,
    skipped: run.numPendingTests + run.numTodoTests,
  };
}

/** A line for each test that passed, but not at once, with the first line of what it failed with before. */
export function secondAttempts(report: string | undefined): readonly string[] {
  if (report === undefined) return [];
  return z
    .parse(vitestReport, JSON.parse(report))
    .testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status, failureMessages }) => status === 'passed' && failureMessages?.[0] !== undefined)
        .map(
          ({ fullName, failureMessages }) =>
            `needed a second attempt: ${name} > ${fullName}: ${failureMessages?.[0]?.split('\n', 1)[0]}`,
        ),
    );
}

/** The closing line of every tier; `.ci/run` adds these lines up. */
export function closingLine(totals: Totals): string {
  return `${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`;
}
