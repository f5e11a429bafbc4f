import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, serverless } from './support/serverless.ts';

/** Packages with a settings file of this text. */
const packageWith = (settings: string): ReturnType<typeof serverless> => {
  const folder = mkdtempSync(join(tmpdir(), 'svk-settings-'));
  try {
    writeFileSync(join(folder, 'settings.yml'), settings);
    const file = relative(ROOT, join(folder, 'settings.yml'));
    return serverless(['package', '--package', join(folder, 'package'), '--param', `settings=${file}`]);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

describe('the settings file', () => {
  it('is refused before anything is packaged, with every fault by its path', () => {
    const { code, output } = packageWith(
      [
        'deployment: Dev',
        'provider: fargate',
        'nodes:',
        '  - { name: a, capacity: { cpu: 1, memory: 2Gi }, size: 3, profile: default }',
        'profiles:',
        '  default: { subnets: my-subnet, securityGroups: [sg-0a] }',
      ].join('\n'),
    );
    expect(code).toBe(1);
    expect(output).toContain('has 4 faults');
    for (const field of ['deployment', 'nodes[0].capacity.pods', 'nodes[0].size', 'profiles.default.subnets[0]']) {
      expect(output).toContain(`\n  ${field}: `);
    }
  });

  it('must name the deployment as the stage is named', () => {
    const { code, output } = packageWith(
      [
        'deployment: other',
        'provider: fargate',
        'nodes: [{ name: a, capacity: { cpu: 1, memory: 2Gi, pods: 5 }, profile: default }]',
        'profiles: { default: { subnets: [subnet-0a], securityGroups: [sg-0a] } }',
      ].join('\n'),
    );
    expect(output).toContain('deployment is "other" and the stage "dev": name both alike');
    expect(code).toBe(1);
  });
});
