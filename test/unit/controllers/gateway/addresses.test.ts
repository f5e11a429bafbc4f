import { describe, expect, it } from 'vitest';
import { toEndpointStatus } from '../../../../src/controllers/node/desired-node.ts';

/** `--kubelet-preferred-address-types` of control planes. */
const ORDERS = [
  { platform: 'kubeadm', order: ['InternalIP', 'ExternalIP', 'Hostname'] },
  { platform: 'the built-in default', order: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'] },
];

/** As the API server does it: the first type of its list that the node has. */
const dialled = (
  { addresses = [], daemonEndpoints }: ReturnType<typeof toEndpointStatus>,
  order: readonly string[],
) => {
  const address = order.flatMap((type) => addresses.filter((one) => one.type === type))[0]?.address;
  return `${address}:${daemonEndpoints?.kubeletEndpoint?.Port ?? 10_250}`;
};

describe.each(ORDERS)('A-05 an API server of $platform', ({ order }) => {
  it('dials API Gateway by its name, at 443', () => {
    const status = toEndpointStatus('fargate', { host: 'abc.execute-api.eu-west-1.amazonaws.com', port: 443 });
    expect(dialled(status, order)).toBe('abc.execute-api.eu-west-1.amazonaws.com:443');
  });

  it('dials a gateway by its address, at the port of the node', () => {
    const status = toEndpointStatus('fargate', { host: '10.0.3.7', port: 10_251 });
    expect(dialled(status, order)).toBe('10.0.3.7:10251');
  });
});
