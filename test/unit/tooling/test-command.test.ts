import { describe, expect, it } from 'vitest';
import { type Ended, inProject } from './temporary-project.ts';

const testFile = (...cases: readonly string[]): string =>
  `import { describe, expect, it } from 'vitest';\ndescribe('d', () => {\n${cases.join('\n')}\n});\n`;
const PASSES = "it('passes', () => expect(1).toBe(1));";
const FAILS = "it('fails', () => expect(1).toBe(2));";
const SKIPPED = "it.skipIf(true)('is left out', () => expect(1).toBe(1));";

const runTier = (tier: string, files: Readonly<Record<string, string>>, ...more: readonly string[]): Ended => {
  const configuration = files['vitest.config.ts'] === undefined ? ['vitest.config.ts'] : [];
  // Instead of the deploy tier's own, which packages the service.
  const setup = { 'test/deploy/support/package-once.ts': 'export function setup(): void {}\n' };
  return inProject({ ...setup, ...files }, ['scripts', ...configuration], (project) =>
    project.run('node', ['scripts/test.ts', tier, ...more]),
  );
};
const lastLine = ({ stdout }: Ended): string | undefined => stdout.trimEnd().split('\n').at(-1);

describe('npm test', () => {
  it('closes with the totals of the kinds that need neither Docker nor Go nor network', () => {
    const ended = runTier('default', {
      'test/unit/a.test.ts': testFile(PASSES, SKIPPED),
      'test/integration/b.test.ts': testFile(PASSES),
      'test/cluster/c.test.ts': testFile(FAILS),
      'test/deploy/d.test.ts': testFile(FAILS),
      'test/docker/e.test.ts': testFile(FAILS),
    });
    expect(lastLine(ended)).toBe('2 passed, 0 failed, 1 skipped');
    expect(ended.code).toBe(0);
  });

  it('fails where a test fails and where a file does not load', () => {
    const ended = runTier('default', {
      'test/unit/a.test.ts': testFile(PASSES, FAILS),
      'test/unit/b.test.ts': "import './not-there.ts';\n",
    });
    expect(lastLine(ended)).toBe('1 passed, 2 failed, 0 skipped');
    expect(ended.code).toBe(1);
  });

  it('fails where there is no test', () => {
    const ended = runTier('default', {});
    expect(lastLine(ended)).toBe('0 passed, 1 failed, 0 skipped');
    expect(ended.code).toBe(1);
  });

  it('still closes with totals where Vitest itself dies', () => {
    const ended = runTier('default', { 'vitest.config.ts': 'process.exit(0);\n' });
    expect(lastLine(ended)).toBe('0 passed, 1 failed, 0 skipped');
    expect(ended.code).toBe(1);
  });

  it('hands further arguments to Vitest', () => {
    const files = { 'test/unit/a.test.ts': testFile(PASSES), 'test/unit/b.test.ts': testFile(FAILS) };
    expect(lastLine(runTier('default', files, 'test/unit/a'))).toBe('1 passed, 0 failed, 0 skipped');
  });
});

describe('the other tiers', () => {
  it.each(['cluster', 'deploy', 'docker'])('test:%s runs its own folder alone', (tier) => {
    const ended = runTier(tier, {
      [`test/${tier}/a.test.ts`]: testFile(PASSES, PASSES.replace('passes', 'passes too')),
      'test/unit/b.test.ts': testFile(FAILS),
    });
    expect(lastLine(ended)).toBe('2 passed, 0 failed, 0 skipped');
    expect(ended.code).toBe(0);
  });

  it('a tier that does not exist is refused by name', () => {
    const ended = runTier('clutser', {});
    expect(ended.output).toContain('no tier "clutser": one of default, cluster, docker, deploy');
    expect(ended.code).toBe(2);
  });
});
