import { selfSigned } from '../../../adapters/tls/self-signed.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { CertificateSource } from './certificate-source.ts';

/** A certificate that nobody has signed, because the operator asked for one; with a warning. */
export const selfSignedCertificate = (
  { node, names }: { readonly node: string; readonly names: readonly string[] },
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): CertificateSource => {
  logger.warn(
    'the kubelet API has a certificate that nobody has signed: an API server that checks kubelets will refuse it; leave out --serving-certificate self-signed to ask the cluster for one',
    { node },
  );
  return {
    first: selfSigned({ commonName: node, names: [...names, 'localhost', '127.0.0.1'], now: clock.now() }),
    refusal: () => undefined,
    run: () => Promise.resolve(),
  };
};
