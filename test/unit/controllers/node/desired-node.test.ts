import { describe, expect, it } from 'vitest';
import {
  toDesiredNode,
  toKubeletVersion,
  toNewNode,
  toNodeStatus,
} from '../../../../src/controllers/node/desired-node.ts';
import type { NodeDefinition } from '../../../../src/controllers/node/node-definition.ts';

const deployment = { name: 'dev', provider: 'fargate', version: '0.1.0' };
const definition: NodeDefinition = {
  name: 'arm',
  architecture: 'arm64',
  capacity: { cpu: '64', memory: '256Gi', pods: 100 },
  labels: { zone: 'a', 'eks.amazonaws.com/compute-type': 'virtual' },
};

const statusOf = (endpoint?: NodeDefinition['endpoint']): ReturnType<typeof toNodeStatus> =>
  toNodeStatus({ ...definition, endpoint }, deployment, { kubeletVersion: 'v1.36.3-svk-0.1.0', conditions: [] });

it('puts labels, taints, owner and status into the first POST', () => {
  const node = toNewNode(definition, toDesiredNode(definition, deployment), statusOf());
  expect(node.metadata).toEqual({
    name: 'arm',
    labels: {
      type: 'virtual-kubelet',
      'eks.amazonaws.com/compute-type': 'virtual',
      'kubernetes.io/arch': 'arm64',
      'kubernetes.io/hostname': 'arm',
      'kubernetes.io/os': 'linux',
      'node.kubernetes.io/exclude-from-external-load-balancers': 'true',
      zone: 'a',
    },
    annotations: {
      'svk.dev/deployment': 'dev',
      'svk.dev/managed':
        '{"labels":["eks.amazonaws.com/compute-type","kubernetes.io/arch","kubernetes.io/hostname","kubernetes.io/os",' +
        '"node.kubernetes.io/exclude-from-external-load-balancers","type","zone"],' +
        '"taints":["virtual-kubelet.io/provider:NoSchedule"]}',
    },
  });
  expect(node.spec).toEqual({
    providerID: 'svk://dev/arm',
    taints: [{ key: 'virtual-kubelet.io/provider', value: 'fargate', effect: 'NoSchedule' }],
  });
  expect(node.status?.capacity).toEqual({ cpu: '64', memory: '256Gi', pods: '100' });
  expect(node.status?.allocatable).toEqual({ cpu: '64', memory: '256Gi', pods: '100' });
});

it('takes taints from the settings instead of its own', () => {
  const taints = [{ key: 'example.com/fargate', effect: 'NoExecute' }];
  expect(toDesiredNode({ ...definition, taints }, deployment).taints).toEqual(taints);
  expect(toDesiredNode({ ...definition, taints: [] }, deployment).taints).toEqual([]);
});

it('says what it runs and what it is called where that is not the usual', () => {
  const special = { ...definition, operatingSystem: 'windows', providerID: 'mock://7' } as const;
  expect(toDesiredNode(special, deployment)).toMatchObject({
    providerID: 'mock://7',
    labels: { 'kubernetes.io/os': 'windows' },
  });
  expect(toNodeStatus(special, deployment, { kubeletVersion: 'v1', conditions: [] }).nodeInfo).toMatchObject({
    operatingSystem: 'windows',
  });
});

it('claims to be Fargate only where it is', () => {
  const { labels: _labels, ...plain } = definition;
  expect(toDesiredNode(plain, deployment).labels['eks.amazonaws.com/compute-type']).toBe('fargate');
  const mock = { ...deployment, provider: 'mock' };
  expect(toDesiredNode(plain, mock).labels).not.toHaveProperty('eks.amazonaws.com/compute-type');
});

describe('addresses', () => {
  it.each([
    {
      want: 'a name for API Gateway',
      host: 'abc.execute-api.eu-west-1.amazonaws.com',
      addresses: [
        { type: 'Hostname', address: 'abc.execute-api.eu-west-1.amazonaws.com' },
        { type: 'InternalDNS', address: 'abc.execute-api.eu-west-1.amazonaws.com' },
      ],
    },
    { want: 'an address for a server', host: '10.0.0.7', addresses: [{ type: 'InternalIP', address: '10.0.0.7' }] },
    { want: 'an IPv6 address', host: 'fd00::7', addresses: [{ type: 'InternalIP', address: 'fd00::7' }] },
  ])('are $want', ({ host, addresses }) => {
    const status = statusOf({ host, port: 443 });
    expect(status.addresses).toEqual(addresses);
    expect(status.daemonEndpoints).toEqual({ kubeletEndpoint: { Port: 443 } });
  });

  it('are the bare name where nothing serves the kubelet API', () => {
    expect(statusOf().addresses).toEqual([{ type: 'Hostname', address: 'arm' }]);
    expect(statusOf().daemonEndpoints).toBeUndefined();
  });
});

it.each([
  ['v1.36.3', 'v1.36.3-svk-0.1.0'],
  ['v1.33.1+k3s1', 'v1.33.1-svk-0.1.0'],
  ['v1.34.2-eks-1a2b3c4', 'v1.34.2-svk-0.1.0'],
  ['unknown', 'v0.0.0-svk-0.1.0'],
])('answers a server of %s with %s', (server, kubelet) => {
  expect(toKubeletVersion(server, '0.1.0')).toBe(kubelet);
});

describe('the feature of handing on WebSockets', () => {
  const featuresOf = (endpoint: NodeDefinition['endpoint'], kubeletVersion: string): unknown =>
    toNodeStatus({ ...definition, endpoint }, deployment, { kubeletVersion, conditions: [] }).declaredFeatures;
  const endpoint = { host: '192.0.2.7', port: 10_250, webSockets: true };

  it.each(['v1.36.0-svk-0.1.0', 'v1.36.3-svk-0.1.0', 'v1.100.0-svk-0.1.0', 'v2.0.0-svk-0.1.0'])(
    'is declared to a server as new as %s',
    (version) => {
      expect(featuresOf(endpoint, version)).toEqual(['ExtendWebSocketsToKubelet']);
    },
  );

  it.each(['v1.35.9-svk-0.1.0', 'v1.4.0-svk-0.1.0', 'v0.0.0-svk-0.1.0'])('is not declared to one of %s', (version) => {
    expect(featuresOf(endpoint, version)).toBeUndefined();
  });

  it.each([
    undefined,
    { host: 'abc.execute-api.eu-west-1.amazonaws.com', port: 443 },
    { ...endpoint, webSockets: false },
  ])('is not declared for the endpoint %j', (other) => {
    expect(featuresOf(other, 'v1.36.3-svk-0.1.0')).toBeUndefined();
  });
});
