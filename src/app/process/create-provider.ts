import type { CreatedProvider } from '../../ports/provider-factory.ts';
import type { ResourceStore } from '../../ports/resource-store.ts';
import type { RunMeans } from './run-means.ts';
import type { RunOptions } from './run-options.ts';

/** Makes the provider that the options name. `hash`: of the cluster. @throws {PermanentError} listing what is wrong with its configuration. */
export const createProvider = (
  options: RunOptions,
  { factory, providerConfig, environment, clock, random, logger }: RunMeans,
  { resources, hash }: { readonly resources: ResourceStore; readonly hash: string },
): Promise<CreatedProvider> =>
  factory.create(providerConfig, {
    node: options.nodeName,
    operatingSystem: options.operatingSystem,
    ...(options.nodeIp !== undefined && { internalIp: options.nodeIp }),
    daemonPort: options.listen.port,
    clusterDomain: options.clusterDomain,
    clock,
    random,
    logger,
    resources,
    clusterHash: () => hash,
    environment,
  });
