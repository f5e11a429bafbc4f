import type { CertificateFiles, ServingOptions } from '../run-options.ts';
import { certificateFiles } from './certificate-files.ts';
import type { CertificateSource } from './certificate-source.ts';
import { type RequestedCertificateMeans, requestedCertificate } from './requested-certificate.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

/** The certificate that files give; undefined where none are named. @throws {PermanentError} naming one that cannot be read. */
export const givenCertificate = async (
  { certificate, privateKey }: CertificateFiles,
  means: Pick<RequestedCertificateMeans, 'clock' | 'logger'>,
): Promise<CertificateSource | undefined> =>
  certificate === undefined || privateKey === undefined
    ? undefined
    : certificateFiles({ certificate, privateKey }, means);

export interface ServingNode {
  readonly node: string;
  /** Its address inside the cluster, as the Node object has it; undefined: it has none. */
  readonly address: string | undefined;
  readonly deployment: string;
}

/** The certificate of a node's kubelet API where no file gives one. */
export const servingCertificate = (
  serving: ServingOptions,
  { node, address, deployment }: ServingNode,
  means: RequestedCertificateMeans,
): CertificateSource => {
  const names = address === undefined || address === node ? [node] : [address, node];
  switch (serving.kind) {
    case 'self-signed':
      return selfSignedCertificate({ node, names }, means);
    case 'request':
      return requestedCertificate({ node, names, deployment, ...serving }, means);
    default:
      return serving satisfies never;
  }
};
