import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { build, packageService } from './support/serverless.ts';
import { requireDeployTools, withoutDeployTools } from './support/tools.ts';

describe.skipIf(withoutDeployTools)('cfn-lint', () => {
  it('finds nothing in the packaged templates', () => {
    const { cfnLint } = requireDeployTools();
    build();
    using packaged = packageService();
    const { status, stdout, stderr } = spawnSync(
      cfnLint,
      [packaged.templateFile, packaged.bucketTemplateFile, '--regions', 'eu-west-1', 'us-east-1'],
      { encoding: 'utf8' },
    );
    expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' });
  });
});
