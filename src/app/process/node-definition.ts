import { networkInterfaces } from 'node:os';
import type { NodeDefinition } from '../../controllers/node/node-definition.ts';
import type { CreatedProvider } from '../../ports/provider-factory.ts';
import type { RunOptions } from './run-options.ts';

/** virtual-kubelet's mock has as much: a node whose provider does not say how large it is. */
const DEFAULT_CAPACITY = { cpu: '20', memory: '100Gi', pods: '20' };

/** The node as the command line and the provider together describe it. `port`: where its kubelet API listens. Pure. */
export const nodeDefinitionOf = (
  {
    nodeName,
    operatingSystem,
    taint,
    extendWebSockets,
  }: Pick<RunOptions, 'nodeName' | 'operatingSystem' | 'taint' | 'extendWebSockets'>,
  { node = {} }: Pick<CreatedProvider, 'node'>,
  endpoint: { readonly host: string | undefined; readonly port: number },
): NodeDefinition => ({
  name: nodeName,
  operatingSystem,
  architecture: node.architecture ?? 'amd64',
  capacity: node.capacity ?? DEFAULT_CAPACITY,
  taints: node.taints ?? (taint ? [taint] : []),
  ...(node.labels && { labels: node.labels }),
  ...(node.providerID !== undefined && { providerID: node.providerID }),
  ...(endpoint.host !== undefined && {
    endpoint: { host: endpoint.host, port: endpoint.port, webSockets: extendWebSockets },
  }),
});

/** The first address of this machine that others may reach: IPv4 before IPv6, never loopback or link-local. */
export const ownAddress = (
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): string | undefined => {
  const outward = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !/^(169\.254\.|fe80:)/i.test(address));
  return (outward.find(({ family }) => family === 'IPv4') ?? outward[0])?.address;
};
