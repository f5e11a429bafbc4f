import { describe, expect, it } from 'vitest';
import { nodeDefinitionOf, ownAddress } from '../../../../src/app/process/node-definition.ts';

const TAINT = { key: 'virtual-kubelet.io/provider', value: 'mock', effect: 'NoSchedule' };
const OPTIONS = { nodeName: 'n1', operatingSystem: 'linux', taint: TAINT, extendWebSockets: true } as const;
const ENDPOINT = { host: '192.0.2.7', port: 10_250 };

describe('a node', () => {
  it('of a provider that says nothing has the defaults of virtual-kubelet', () => {
    expect(nodeDefinitionOf(OPTIONS, {}, ENDPOINT)).toEqual({
      name: 'n1',
      operatingSystem: 'linux',
      architecture: 'amd64',
      capacity: { cpu: '20', memory: '100Gi', pods: '20' },
      taints: [TAINT],
      endpoint: { host: '192.0.2.7', port: 10_250, webSockets: true },
    });
  });

  it('has what its provider says', () => {
    const node = {
      capacity: { cpu: '2', memory: '32Gi', pods: '128', 'nvidia.com/gpu': '1' },
      architecture: 'arm64',
      providerID: 'mock://7',
      labels: { zone: 'a' },
      taints: [{ key: 'spot', effect: 'NoExecute' }],
    } as const;
    expect(nodeDefinitionOf({ ...OPTIONS, operatingSystem: 'windows' }, { node }, ENDPOINT)).toMatchObject({
      ...node,
      operatingSystem: 'windows',
    });
  });

  it('has no taint where none is wanted, and no address where none is known', () => {
    const definition = nodeDefinitionOf({ ...OPTIONS, taint: undefined }, {}, { host: undefined, port: 10_250 });
    expect(definition.taints).toEqual([]);
    expect(definition).not.toHaveProperty('endpoint');
  });
});

describe('the own address', () => {
  const at = (address: string, internal = false) => ({
    address,
    internal,
    family: address.includes(':') ? ('IPv6' as const) : ('IPv4' as const),
    netmask: '',
    mac: '',
    cidr: null,
    scopeid: 0,
  });

  it.each([
    { of: [at('127.0.0.1', true), at('10.0.0.7')], is: '10.0.0.7' },
    { of: [at('2001:db8::7'), at('10.0.0.7')], is: '10.0.0.7' },
    { of: [at('169.254.1.1'), at('fe80::1'), at('2001:db8::7')], is: '2001:db8::7' },
    { of: [at('127.0.0.1', true)], is: undefined },
  ])('is $is', ({ of, is }) => {
    expect(ownAddress({ eth0: of })).toBe(is);
  });
});
