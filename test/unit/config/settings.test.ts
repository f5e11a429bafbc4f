import { describe, expect, it } from 'vitest';
import { parseSettings, readSettings } from '../../../src/config/settings.ts';
import { dispositionOf } from '../../../src/core/errors.ts';
import { providers, valid } from './samples.ts';

const faultsOf = (input: unknown) => {
  const read = readSettings(input, providers);
  return read.ok ? [] : read.faults;
};

const withNode = (fields: Record<string, unknown>) => ({ ...valid, nodes: [{ ...valid.nodes[0], ...fields }] });

const withCapacity = (fields: Record<string, unknown>) =>
  withNode({ capacity: { cpu: '1', memory: '1Gi', pods: '1', ...fields } });

describe('parseSettings', () => {
  it('fills in what is left out', () => {
    expect(parseSettings(valid, providers)).toEqual({
      deployment: 'dev',
      provider: 'zoo',
      nodes: [
        { name: 'fargate', capacity: { cpu: '20', memory: '80Gi', pods: '50' }, labels: {}, architecture: 'amd64' },
      ],
      providerSettings: { cages: ['north'] },
    });
  });

  it('keeps all that is given', () => {
    const node = {
      name: 'spot',
      capacity: { cpu: 20, memory: '80Gi', pods: 50, 'ephemeral-storage': '200Gi' },
      labels: { team: 'web', 'example.com/tier': 'b' },
      taints: [{ key: 'spot', effect: 'NoSchedule' }],
      architecture: 'arm64',
      profile: 'spot',
    };
    const settings = parseSettings({ ...valid, nodes: [node], helperImage: 'public.ecr.aws/x/node:24' }, providers);
    expect(settings.helperImage).toBe('public.ecr.aws/x/node:24');
    expect(settings.nodes).toEqual([
      {
        name: 'spot',
        capacity: { cpu: '20', memory: '80Gi', pods: '50', 'ephemeral-storage': '200Gi' },
        labels: { team: 'web', 'example.com/tier': 'b' },
        taints: [{ key: 'spot', effect: 'NoSchedule' }],
        architecture: 'arm64',
        profile: 'spot',
      },
    ]);
  });

  it('reads JSON text', () => {
    expect(parseSettings(JSON.stringify(valid), providers).deployment).toBe('dev');
  });

  it('tells every fault at once, with its path and the fix', () => {
    const input = {
      deployment: 'Dev',
      provider: 'zoo',
      colour: 'blue',
      nodes: [
        { name: 'fargate', capacity: { cpu: '0', memory: '80Q', pods: 1.5 }, arch: 'amd64' },
        {
          name: 'fargate',
          capacity: { cpu: 1, memory: '1Gi' },
          architecture: 'x86',
          taints: [{ key: 'a b', effect: 'Never' }],
        },
      ],
      cages: [],
    };
    const parse = () => parseSettings(input, providers, 'settings.yml');
    expect(parse).toThrow(
      [
        'settings.yml has 12 faults:',
        '  deployment: must be a lower-case letter, then lower-case letters, digits or hyphens, 20 characters at most',
        '  nodes[0].capacity.cpu: must be a quantity above zero, such as 20, 500m or 80Gi',
        '  nodes[0].capacity.memory: must be a quantity above zero, such as 20, 500m or 80Gi',
        '  nodes[0].capacity.pods: must be a whole number above zero',
        '  nodes[0].arch: is not known: remove it',
        '  nodes[1].capacity.pods: must be a whole number above zero',
        '  nodes[1].taints[0].key: must be a label name, such as svk.dev/provider',
        '  nodes[1].taints[0].effect: must be NoSchedule or PreferNoSchedule or NoExecute',
        '  nodes[1].architecture: must be amd64 or arm64',
        '  colour: is not known: remove it',
        '  nodes[1].name: "fargate" is also the name of nodes[0]: rename one',
        '  cages: needs at least one cage',
      ].join('\n'),
    );
  });

  it('is the operator who must mend it', () => {
    let thrown: unknown;
    try {
      parseSettings({}, providers);
    } catch (error) {
      thrown = error;
    }
    expect(dispositionOf(thrown)).toBe('permanent');
  });
});

describe('faults of the settings', () => {
  it.each([
    ['a list', [], 'the settings', 'must be a map of keys and values'],
    ['nothing', undefined, 'the settings', 'must be a map of keys and values'],
    ['no JSON', '{', 'the settings', 'must be JSON: write them anew'],
    [
      'a long deployment',
      { ...valid, deployment: 'a23456789012345678901' },
      'deployment',
      'must be a lower-case letter, then lower-case letters, digits or hyphens, 20 characters at most',
    ],
    ['no deployment', { ...valid, deployment: undefined }, 'deployment', 'must be a string'],
    ['an unknown provider', { ...valid, provider: 'toString' }, 'provider', 'must be zoo or other-zoo'],
    ['no node', { ...valid, nodes: [] }, 'nodes', 'needs at least one node'],
    ['a node that is none', { ...valid, nodes: ['fargate'] }, 'nodes[0]', 'must be a map of keys and values'],
    [
      'a bad node name',
      withNode({ name: 'Fargate' }),
      'nodes[0].name',
      'must be lower-case letters, digits and hyphens, as a Node name',
    ],
    [
      'a long node name',
      withNode({ name: 'n'.repeat(64) }),
      'nodes[0].name',
      'must have 63 characters at most: it becomes the label kubernetes.io/hostname',
    ],
    ['no capacity', withNode({ capacity: undefined }), 'nodes[0].capacity', 'must be a map of keys and values'],
    [
      'negative memory',
      withCapacity({ memory: '-1Gi' }),
      'nodes[0].capacity.memory',
      'must be a quantity above zero, such as 20, 500m or 80Gi',
    ],
    ['pods as a quantity', withCapacity({ pods: '1k' }), 'nodes[0].capacity.pods', 'must be a whole number above zero'],
    ['an unknown resource', withCapacity({ gpu: '1' }), 'nodes[0].capacity.gpu', 'is not known: remove it'],
    [
      'a bad label name',
      withNode({ labels: { 'a b': 'c' } }),
      'nodes[0].labels.a b',
      'is no label name: at most 63 letters, digits, -, _ or ., after an optional prefix and /',
    ],
    [
      'a bad label value',
      withNode({ labels: { a: 'b c' } }),
      'nodes[0].labels.a',
      'must be a label value: at most 63 letters, digits, -, _ or .',
    ],
    [
      'a variable',
      { ...valid, deployment: '${sls:stage}' },
      'deployment',
      'holds ${sls:stage}, which only the serverless command fills in: write the value',
    ],
    ['an empty image', { ...valid, helperImage: '' }, 'helperImage', 'must be an image reference, or left out'],
  ])('%s', (_what, input, field, message) => {
    expect(faultsOf(input)).toContainEqual({ field, message });
  });

  it('are none of the provider keys of another provider', () => {
    expect(faultsOf({ ...valid, provider: 'zoo', profiles: {} })).toEqual([
      { field: 'profiles', message: 'is not known: remove it' },
    ]);
  });
});
