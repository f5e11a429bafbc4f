import { MemoryCertificateKeeper } from '../../../adapters/memory/certificate-keeper.ts';
import { certificateFolder } from '../../../adapters/tls/certificate-folder.ts';
import { makeCertificateRequest } from '../../../adapters/tls/certificate-request.ts';
import { selfSigned } from '../../../adapters/tls/self-signed.ts';
import { ServingCertificate } from '../../../controllers/certificates/serving-certificate.ts';
import { ServingReport } from '../../../controllers/certificates/serving-report.ts';
import type { Clock, Random } from '../../../core/clock.ts';
import type { CertificateRequestsApi } from '../../../ports/certificates.ts';
import type { Kubernetes } from '../../../ports/kubernetes.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { CertificateSource } from './certificate-source.ts';

export interface RequestedCertificateOptions {
  readonly node: string;
  readonly names: readonly string[];
  readonly deployment: string;
  readonly signerName: string;
  /** Where keys outlive the process; undefined: they do not. */
  readonly folder: string | undefined;
}

export interface RequestedCertificateMeans {
  readonly kubernetes: Pick<Kubernetes, 'nodes' | 'events'>;
  readonly requests: CertificateRequestsApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * A certificate that the cluster signs. Until it has, the endpoint answers nothing but why: under a certificate that is
 * good for telling that and no more, because a handshake that fails says nothing to anybody.
 */
export const requestedCertificate = (
  { node, names, deployment, signerName, folder }: RequestedCertificateOptions,
  { kubernetes, requests, clock, random, logger }: RequestedCertificateMeans,
): CertificateSource => {
  const { nodes, events } = kubernetes;
  const report = new ServingReport({ node, nodes, events, clock, logger });
  let refusal: string | undefined = 'serving certificate: not asked for yet';
  return {
    first: selfSigned({ commonName: node, names, now: clock.now() }),
    refusal: () => refusal,
    run: (renew, signal) =>
      new ServingCertificate({
        node,
        names,
        signerName,
        labels: { 'app.kubernetes.io/name': 'serverless-virtual-kubelet', 'app.kubernetes.io/instance': deployment },
        requests,
        makeRequest: makeCertificateRequest,
        keeper: folder === undefined ? new MemoryCertificateKeeper() : certificateFolder(folder, node),
        onIssued: (pair) => {
          renew(pair);
          refusal = undefined;
        },
        report: async (state, request) => {
          if (!state.isServing) refusal = state.message;
          await report.tell(state, request, signal);
        },
        clock,
        random,
        logger,
      }).run(signal),
  };
};
