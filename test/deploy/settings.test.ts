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

describe('subnets and security groups', () => {
  it("that are nobody's are refused by a deployment, all of them at once with every other fault", () => {
    const flags = ['--param', 'securityGroups=sg-0a', '--param', 'alarms=maybe'];
    const { code, output } = serverless(['deploy', ...flags], { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(1);
    expect(output).toContain('settings.yml has 3 faults:');
    for (const fault of [
      'profiles.default.subnets[0]: is nobody\'s ("subnet-00000000000000000"): give the id of a subnet of yours, as by --param subnets=subnet-0123456789abcdef0',
      'profiles.default.securityGroups[0]: is "sg-0a", which is no id of EC2 (8 or 17 hexadecimal digits): give',
      '--param alarms: is "maybe": give true or false',
    ])
      expect(output).toContain(`\n  ${fault}`);
  });
});

describe('the parameters', () => {
  it('are refused together with the settings file, every fault at once', () => {
    const parameters = {
      settings: 'test/deploy/support/two-nodes.yml',
      logRetentionDays: '13',
      workerConcurrency: '1',
      heartbeatConcurrency: 'many',
      domainName: 'Svk.example.com',
      trustStore: 'https://my-trust/ca.pem',
      functionSubnets: 'subnet-0a, my-subnet',
      eksCluster: '-',
      keyArn: 'alias/mine',
      execKeyArn: 'mine',
      alarms: 'yes',
      metrics: 'emf',
      alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:operators',
    };
    const flags = Object.entries(parameters).flatMap(([name, value]) => ['--param', `${name}=${value}`]);
    const { code, output } = serverless(['package', '--stage', 'dev', '--package', '.build/refused', ...flags]);
    expect(code).toBe(1);
    expect(output).toContain('test/deploy/support/two-nodes.yml has 14 faults:');
    for (const fault of [
      '--param logRetentionDays: is "13": give 1, 3, 5, 7, 14,',
      '--param workerConcurrency: is "1": give a number from 2 to 1000',
      '--param heartbeatConcurrency: is "many": give a number from 2 to 100',
      '--param domainName: is "Svk.example.com": give a domain such as svk.example.com, in lower case',
      '--param trustStore: is "https://my-trust/ca.pem": give the S3 URI of a PEM file',
      '--param certificateArn: is missing: domainName, certificateArn and trustStore come together or not at all',
      '--param functionSubnets: has "my-subnet": give ids of subnets, apart by commas',
      '--param functionSecurityGroups: is missing: functionSubnets and functionSecurityGroups come together',
      '--param eksCluster: is "-": give the name of an EKS cluster',
      '--param keyArn: is "alias/mine": give the ARN of a KMS key',
      '--param execKeyArn: is "mine": give the ARN of a KMS key',
      '--param alarms: is "yes": give true or false',
      '--param metrics: is "emf": give true or false',
      '--param alarmTopicArn: needs --param alarms=true',
    ])
      expect(output).toContain(`\n  ${fault}`);
  });

  it('must leave the stack within the limits of CloudFormation and Lambda', () => {
    const nodes = Array.from(
      { length: 41 },
      (_, index) => `  - { name: n${index}, capacity: { cpu: 1, memory: 2Gi, pods: 5 }, profile: default }`,
    );
    const { code, output } = packageWith(
      [
        'deployment: dev',
        'provider: fargate',
        'nodes:',
        ...nodes,
        'profiles: { default: { subnets: [subnet-0a], securityGroups: [sg-0a] } }',
      ].join('\n'),
    );
    expect(code).toBe(1);
    expect(output).toContain('nodes: has 41 nodes and a stack holds 40: make another deployment');
  });
});
