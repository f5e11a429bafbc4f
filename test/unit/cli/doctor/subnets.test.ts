import { describe, expect, it } from 'vitest';
import type { NetworkFacts, SubnetFacts } from '../../../../src/adapters/ec2/network-facts.ts';
import { judgeProfile } from '../../../../src/cli/doctor/checks/subnets.ts';

const subnet = (fields: Partial<SubnetFacts> = {}): SubnetFacts => ({
  id: 'subnet-0a',
  vpc: 'vpc-1',
  freeAddresses: 200,
  routeTable: 'rtb-1',
  wayOut: 'nat-1',
  isBlackhole: false,
  ...fields,
});
const endpoint = (service: string, routeTables: readonly string[] = []) => ({ vpc: 'vpc-1', service, routeTables });
const network = (fields: Partial<NetworkFacts> = {}): NetworkFacts => ({
  subnets: [subnet()],
  securityGroups: [{ id: 'sg-0a', vpc: 'vpc-1', letsOut: true }],
  endpoints: [],
  ...fields,
});
const profile = { subnets: ['subnet-0a'], securityGroups: ['sg-0a'], assignPublicIp: false };
const SHUT = { wayOut: undefined };

describe('D-02 where a profile places tasks', () => {
  it.each([
    { of: 'behind a NAT gateway', facts: network(), found: ['pass let tasks start'] },
    {
      of: 'public, without public addresses',
      facts: network({ subnets: [subnet({ wayOut: 'igw-1' })] }),
      found: ['fail its tasks get no public address'],
    },
    {
      of: 'no route out and no endpoints',
      facts: network({ subnets: [subnet(SHUT)] }),
      found: [
        'fail no endpoint for ecr.api, ecr.dkr, logs, s3: every pod fails with "unable to pull secrets or registry auth"',
      ],
    },
    {
      of: 'no route out, and endpoints but for the images',
      facts: network({ subnets: [subnet(SHUT)], endpoints: [endpoint('logs'), endpoint('s3', ['rtb-1'])] }),
      found: ['fail no endpoint for ecr.api, ecr.dkr: '],
    },
    {
      of: "an S3 gateway that another subnet's table uses",
      facts: network({
        subnets: [subnet(SHUT)],
        endpoints: [...['ecr.api', 'ecr.dkr', 'logs', 'ssm'].map((name) => endpoint(name)), endpoint('s3', ['rtb-9'])],
      }),
      found: ['fail no endpoint for s3: '],
    },
    {
      of: 'no route out, and endpoints but for secrets',
      facts: network({
        subnets: [subnet(SHUT)],
        endpoints: [...['ecr.api', 'ecr.dkr', 'logs'].map((name) => endpoint(name)), endpoint('s3', ['rtb-1'])],
      }),
      found: ['warn no endpoint for ssm: '],
    },
    {
      of: 'every endpoint there must be',
      facts: network({
        subnets: [subnet(SHUT)],
        endpoints: ['ecr.api', 'ecr.dkr', 'logs', 's3', 'ssm'].map((name) => endpoint(name)),
      }),
      found: ['pass let tasks start'],
    },
    {
      of: 'a NAT gateway that is gone',
      facts: network({ subnets: [subnet({ isBlackhole: true })] }),
      found: ['fail leads to nat-1, which is gone'],
    },
    {
      of: 'ids that are not there',
      facts: network({ subnets: [], securityGroups: [] }),
      found: ['fail no subnet subnet-0a', 'fail no security group sg-0a'],
    },
    {
      of: 'a security group of another VPC that lets nothing out',
      facts: network({ securityGroups: [{ id: 'sg-0a', vpc: 'vpc-2', letsOut: false }] }),
      found: ['fail sg-0a is of vpc-2, the subnets are of vpc-1', 'fail sg-0a lets nothing out'],
    },
    {
      of: 'no address left',
      facts: network({ subnets: [subnet({ freeAddresses: 0 })] }),
      found: ['fail no free address'],
    },
  ])('$of', ({ facts, found }) => {
    const findings = judgeProfile('default', profile, facts);
    expect(findings.map(({ status }) => status)).toEqual(found.map((text) => text.split(' ')[0]));
    findings.forEach(({ message, status, fix }, index) => {
      expect(message).toContain(found[index]?.slice(status.length + 1));
      expect(fix === undefined).toBe(status === 'pass');
    });
  });

  it('may be public where tasks get public addresses', () => {
    const facts = network({ subnets: [subnet({ wayOut: 'igw-1' })] });
    expect(judgeProfile('default', { ...profile, assignPublicIp: true }, facts)[0]?.status).toBe('pass');
  });

  it('must be one VPC', () => {
    const facts = network({ subnets: [subnet(), subnet({ id: 'subnet-0b', vpc: 'vpc-2' })] });
    const [finding] = judgeProfile('default', { ...profile, subnets: ['subnet-0a', 'subnet-0b'] }, facts);
    expect(finding?.message).toBe('profile default: its subnets are of several VPCs');
  });
});
