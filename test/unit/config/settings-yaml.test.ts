import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseSettingsYaml } from '../../../src/config/settings-yaml.ts';
import { fargateSettings } from '../../../src/providers/fargate/settings.ts';
import { providers } from './samples.ts';

const fargate = { fargate: fargateSettings };

describe('parseSettingsYaml', () => {
  it('reads a file', () => {
    const text = `
      deployment: dev # a comment
      provider: zoo
      nodes:
        - { name: fargate, capacity: { cpu: 20, memory: 80Gi, pods: 50 } }
      cages: [north]
    `;
    expect(parseSettingsYaml(text, providers).nodes).toEqual([
      { name: 'fargate', capacity: { cpu: '20', memory: '80Gi', pods: '50' }, labels: {}, architecture: 'amd64' },
    ]);
  });

  it('reads the settings file of this repository once its variables are filled in', () => {
    const text = readFileSync('settings.yml', 'utf8')
      .replace('${sls:stage}', 'dev')
      .replace('${param:subnets}', '[subnet-0a1b]')
      .replace('${param:securityGroups}', '[sg-0e3f]');
    const settings = parseSettingsYaml(text, fargate);
    expect(settings.deployment).toBe('dev');
    expect(settings.nodes.map(({ name, profile }) => [name, profile])).toEqual([['fargate', 'default']]);
    expect(settings.providerSettings.profiles).toMatchObject({ default: { subnets: ['subnet-0a1b'] } });
  });

  it('names the variables that nobody filled in, and nothing else', () => {
    const parse = () => parseSettingsYaml(readFileSync('settings.yml', 'utf8'), fargate);
    expect(parse).toThrow(
      [
        'settings.yml has 3 faults:',
        '  deployment: holds ${sls:stage}, which only the serverless command fills in: write the value',
        '  profiles.default.subnets: holds ${param:subnets}, which only the serverless command fills in: write the value',
        '  profiles.default.securityGroups: holds ${param:securityGroups}, which only the serverless command fills in: write the value',
      ].join('\n'),
    );
  });

  it('says where the YAML is broken', () => {
    expect(() => parseSettingsYaml('deployment: [dev\nnodes: ]', providers)).toThrow(
      /settings\.yml is not YAML:\n {2}line \d+: /,
    );
  });
});
