import type { CreatedProvider } from '../../ports/provider-factory.ts';
import type { CertificateSource } from './certificates/certificate-source.ts';
import { type ClientAuthority, clientAuthority } from './certificates/client-authority.ts';
import { givenCertificate } from './certificates/open-certificate.ts';
import { type OpenedCluster, openCluster } from './cluster.ts';
import { createProvider } from './create-provider.ts';
import type { RunMeans } from './run-means.ts';
import type { RunOptions } from './run-options.ts';
import { openStores, type Stores } from './stores.ts';

/** What a process works with, whatever part of a node it serves. */
export interface OpenedParts {
  readonly given: CertificateSource | undefined;
  readonly cluster: OpenedCluster;
  readonly stores: Pick<Stores, 'podStore' | 'nodeStore'>;
  readonly created: CreatedProvider;
  readonly authority: ClientAuthority;
}

/**
 * Opens them in the order they need each other. What must be closed again is added to `closing` at once, so that a fault
 * halfway leaves nothing open. @throws {PermanentError} for what the operator must mend.
 */
export const openParts = async (
  options: RunOptions,
  means: RunMeans,
  { signal, closing }: { readonly signal: AbortSignal; readonly closing: (() => void | Promise<void>)[] },
): Promise<OpenedParts> => {
  const given = await givenCertificate(options.certificates, means);
  const cluster = await openCluster(options, { ...means, signal });
  closing.push(() => cluster.client.close());
  const { resources, ...stores } = await openStores(options.state, { ...means, cluster: cluster.hash });
  closing.push(() => stores.close());
  const created = await createProvider(options, means, { resources, hash: cluster.hash });
  const { kubernetes } = cluster;
  const authority = await clientAuthority(options.certificates.clientAuthority, { ...means, kubernetes, signal });
  return { given, cluster, stores, created, authority };
};
