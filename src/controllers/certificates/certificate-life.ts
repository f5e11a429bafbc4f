import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Random } from '../../core/clock.ts';
import type { CertificatePair } from '../../ports/certificates.ts';

/** When a certificate begins and ends, in milliseconds since the epoch. */
export interface CertificateLife {
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * The life of a certificate that fits its key and says all of `names`; otherwise what is wrong with it. Whether its time
 * has come or is over is for the caller to say. Pure.
 */
export const inspectCertificate = (
  { certificate, privateKey }: CertificatePair,
  names: readonly string[],
): { readonly life: CertificateLife } | { readonly fault: string } => {
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(certificate);
    if (!parsed.checkPrivateKey(createPrivateKey(privateKey))) return { fault: 'it is for another key' };
  } catch {
    return { fault: 'it is no certificate with its key' };
  }
  const missing = names.filter(
    (name) => (isIP(name) ? parsed.checkIP(name) : parsed.checkHost(name, { subject: 'never' })) === undefined,
  );
  if (missing.length > 0) return { fault: `it does not name ${missing.join(', ')}` };
  return { life: { notBefore: Date.parse(parsed.validFrom), notAfter: Date.parse(parsed.validTo) } };
};

/**
 * When to ask for the next one: somewhere between 70 and 90 % of its life, as kubelet's certificate manager does, so that
 * nodes started together do not ask together. Pure but for chance.
 */
export const renewalTime = ({ notBefore, notAfter }: CertificateLife, random: Random): number =>
  notBefore + (notAfter - notBefore) * (0.7 + 0.2 * random.next());
