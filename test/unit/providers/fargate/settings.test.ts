import { describe, expect, it } from 'vitest';
import { parseFargateSettings } from '../../../../src/providers/fargate/settings.ts';

const profile = { subnets: ['subnet-1'], securityGroups: ['sg-1'] };
const whole = {
  deployment: 'dev',
  provider: 'fargate',
  nodes: [{ name: 'fargate', profile: 'standard', capacity: { cpu: '20', memory: '80Gi', pods: '50' } }],
  profiles: { standard: profile },
};

describe('fargate settings', () => {
  it('are read out of the whole, with defaults', () => {
    expect(parseFargateSettings(whole)).toEqual({
      ok: true,
      settings: {
        profiles: {
          standard: {
            subnets: ['subnet-1'],
            securityGroups: ['sg-1'],
            assignPublicIp: false,
            capacityProvider: 'FARGATE',
            namespaces: [],
          },
        },
        nodes: { fargate: { architecture: 'amd64', profile: 'standard' } },
      },
    });
  });

  it('keep what is given', () => {
    const spot = {
      ...profile,
      assignPublicIp: true,
      capacityProvider: 'FARGATE_SPOT',
      platformVersion: '1.4.0',
      namespaces: ['batch'],
    };
    expect(parseFargateSettings({ ...whole, profiles: { standard: spot } })).toMatchObject({
      ok: true,
      settings: { profiles: { standard: spot } },
    });
  });

  it('report every fault at once, with path and fix', () => {
    const outcome = parseFargateSettings({
      nodes: [{ name: 'a' }],
      profiles: {
        one: { subnets: [], securityGroups: ['wrong'], colour: 'red' },
        two: { ...profile, capacityProvider: 'EC2', assignPublicIp: 'yes' },
      },
    });
    expect(outcome).toEqual({
      ok: false,
      faults: [
        { field: 'profiles.one.subnets', message: 'needs at least one subnet' },
        { field: 'profiles.one.securityGroups[0]', message: 'must be a security group id' },
        { field: 'profiles.one.colour', message: 'is not known: remove it' },
        { field: 'profiles.two.assignPublicIp', message: 'must be true or false' },
        { field: 'profiles.two.capacityProvider', message: 'must be FARGATE or FARGATE_SPOT' },
      ],
    });
  });

  it('report nodes whose profile is not there', () => {
    const nodes = [{ name: 'a' }, { name: 'b', profile: 'standard' }, { name: 'c', profile: 'other' }];
    expect(parseFargateSettings({ ...whole, nodes })).toEqual({
      ok: false,
      faults: [
        { field: 'nodes[0].profile', message: 'must name one of profiles: standard' },
        { field: 'nodes[2].profile', message: 'must name one of profiles: standard' },
      ],
    });
  });

  it('report that there are no profiles', () => {
    expect(parseFargateSettings({ ...whole, profiles: {} })).toMatchObject({
      faults: [{ field: 'nodes[0].profile', message: 'must name one of profiles: there are none' }],
    });
    expect(parseFargateSettings({ nodes: [] })).toEqual({
      ok: false,
      faults: [{ field: 'profiles', message: 'must be a map of keys and values' }],
    });
  });
});
