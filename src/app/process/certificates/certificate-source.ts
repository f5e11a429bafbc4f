import type { CertificatePair } from '../../../ports/certificates.ts';

/** Where the certificate of a kubelet API comes from. */
export interface CertificateSource {
  /** To listen with. */
  readonly first: CertificatePair;
  /** Why nothing may be asked of the kubelet API yet; undefined: it may. */
  refusal(): string | undefined;
  /** Hands every later certificate to `renew`, until `signal` aborts. Never rejects. */
  run(renew: (pair: CertificatePair) => void, signal: AbortSignal): Promise<void>;
}
