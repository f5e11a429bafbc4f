import { describe, expect, it } from 'vitest';
import { PermanentError } from '../../../../src/core/errors.ts';
import { mockFactory } from '../../../../src/providers/mock/mock-factory.ts';
import { aProviderDeps } from '../../../support/a-provider-deps.ts';

describe('the configuration of the mock', () => {
  it.each([
    { want: 'defaults where there is none', config: undefined },
    { want: 'defaults where it is empty', config: {} },
    { want: 'defaults where it names other nodes only', config: { other: { cpu: '1' } } },
    { want: 'defaults where the node has no entries', config: { vk: {} } },
  ])('has $want', async ({ config }) => {
    const { provider, node } = await mockFactory.create(config, aProviderDeps({ node: 'vk' }));
    expect(provider.name).toBe('mock');
    expect(node).toEqual({
      capacity: { cpu: '20', memory: '100Gi', pods: '20' },
      architecture: 'amd64',
      labels: { 'alpha.service-controller.kubernetes.io/exclude-balancer': 'true' },
    });
  });

  it('has what its node says, numbers too', async () => {
    const config = {
      vk: { cpu: 2, memory: '32Gi', pods: '128', others: { 'nvidia.com/gpu': 4 }, providerID: 'mock://vk' },
      other: { cpu: '1' },
    };
    const { node } = await mockFactory.create(config, aProviderDeps({ node: 'vk' }));
    expect(node).toMatchObject({
      capacity: { cpu: '2', memory: '32Gi', pods: '128', 'nvidia.com/gpu': '4' },
      providerID: 'mock://vk',
    });
  });

  it('tells every fault at once, of every node', async () => {
    const config = {
      vk: { cpu: 'many', memory: '-1', gpus: 1 },
      other: { pods: [], others: { x: 'y' }, providerID: 7 },
    };
    const creation = mockFactory.create(config, aProviderDeps({ node: 'vk' }));
    await expect(creation).rejects.toThrow(PermanentError);
    await expect(creation).rejects.toThrow(
      [
        'the configuration of provider mock has 6 faults:',
        '  vk.cpu: must be a quantity of zero or more, as 2, 500m or 32Gi',
        '  vk.memory: must be a quantity of zero or more, as 2, 500m or 32Gi',
        '  vk.gpus: is not known: remove it',
        '  other.pods: must be a quantity of zero or more, as 2, 500m or 32Gi',
        '  other.others.x: must be a quantity of zero or more, as 2, 500m or 32Gi',
        '  other.providerID: must be a string',
      ].join('\n'),
    );
  });

  it.each([[[]], ['vk'], [7], [{ vk: null }]])('is not %j', async (config) => {
    await expect(mockFactory.create(config, aProviderDeps())).rejects.toThrow('must be a map of keys and values');
  });

  it('takes no node from the prototype', async () => {
    const { node } = await mockFactory.create({}, aProviderDeps({ node: 'constructor' }));
    expect(node?.capacity).toEqual({ cpu: '20', memory: '100Gi', pods: '20' });
  });
});
