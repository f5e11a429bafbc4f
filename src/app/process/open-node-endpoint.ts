import { createCertificateRequestsApi } from '../../adapters/kubernetes/certificate-requests.ts';
import type { CertificateSource } from './certificates/certificate-source.ts';
import { type ClientAuthority } from './certificates/client-authority.ts';
import { type ServingNode, servingCertificate } from './certificates/open-certificate.ts';
import type { OpenedCluster } from './cluster.ts';
import { type KubeletEndpoint, openKubeletEndpoint } from './kubelet-endpoint.ts';
import type { RunMeans } from './run-means.ts';
import type { RunOptions } from './run-options.ts';

export interface NodeEndpointMeans extends RunMeans {
  readonly cluster: OpenedCluster;
  readonly authority: ClientAuthority;
  /** The certificate of files; undefined: the node gets one of its own, as the options say. */
  readonly given: CertificateSource | undefined;
  readonly signal: AbortSignal;
}

/** The endpoint of one node's kubelet API, with its certificate. @throws {PermanentError} as {@link openKubeletEndpoint}. */
export const openNodeEndpoint = (
  { listen, serving, streams }: Pick<RunOptions, 'listen' | 'serving' | 'streams'>,
  node: ServingNode,
  means: NodeEndpointMeans,
): Promise<KubeletEndpoint> => {
  const { cluster, authority, given } = means;
  const { kubernetes } = cluster;
  const requests = createCertificateRequestsApi(cluster.client);
  const certificate = given ?? servingCertificate(serving, node, { ...means, kubernetes, requests });
  return openKubeletEndpoint({ listen, certificate, authority, streamLimits: streams }, means);
};
