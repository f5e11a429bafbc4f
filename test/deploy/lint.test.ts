import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { BUCKET_TEMPLATE, TEMPLATE } from './support/serverless.ts';
import { requireCheckov, requireDeployTools, withoutCheckov, withoutDeployTools } from './support/tools.ts';

describe.skipIf(withoutDeployTools)('cfn-lint', () => {
  it('finds nothing in the packaged templates', () => {
    const { cfnLint } = requireDeployTools();
    const [plain, full] = [inject('packageFolder'), inject('fullPackageFolder')];
    const { status, stdout, stderr } = spawnSync(
      cfnLint,
      [
        join(plain, TEMPLATE),
        join(full, TEMPLATE),
        join(plain, BUCKET_TEMPLATE),
        '--regions',
        'eu-west-1',
        'us-east-1',
      ],
      { encoding: 'utf8' },
    );
    expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' });
  });
});

describe.skipIf(withoutCheckov)('checkov', () => {
  it.each(['packageFolder', 'fullPackageFolder'] as const)(
    'finds nothing but what is accepted in place: %s',
    (which) => {
      const file = join(inject(which), TEMPLATE);
      const { stdout, stderr } = spawnSync(
        requireCheckov(),
        ['--file', file, '--framework', 'cloudformation', '--skip-download', '--compact', '--output', 'json'],
        { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
      );
      const report = parseReport(stdout, stderr);
      expect(report.results.failed_checks.map(({ check_id, resource }) => `${check_id} ${resource}`)).toEqual([]);
      expect(report.results.passed_checks.length).toBeGreaterThan(100);
      // Whoever accepts a finding says why.
      for (const { check_result } of report.results.skipped_checks)
        expect(check_result.suppress_comment).toMatch(/\w+ \w+ \w+/);
    },
  );
});

interface Check {
  readonly check_id: string;
  readonly resource: string;
  readonly check_result: { readonly suppress_comment?: string };
}

const parseReport = (
  stdout: string,
  stderr: string,
): { readonly results: Readonly<Record<'passed_checks' | 'failed_checks' | 'skipped_checks', readonly Check[]>> } => {
  try {
    return JSON.parse(stdout) as ReturnType<typeof parseReport>;
  } catch {
    throw new Error(`checkov printed no report:\n${stdout}${stderr}`);
  }
};
