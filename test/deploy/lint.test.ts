import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { BUCKET_TEMPLATE, TEMPLATE } from './support/serverless.ts';
import { requireDeployTools, withoutDeployTools } from './support/tools.ts';

describe.skipIf(withoutDeployTools)('cfn-lint', () => {
  it('finds nothing in the packaged templates', () => {
    const { cfnLint } = requireDeployTools();
    const folder = inject('packageFolder');
    const { status, stdout, stderr } = spawnSync(
      cfnLint,
      [join(folder, TEMPLATE), join(folder, BUCKET_TEMPLATE), '--regions', 'eu-west-1', 'us-east-1'],
      { encoding: 'utf8' },
    );
    expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' });
  });
});
