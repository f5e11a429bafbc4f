import { X509Certificate } from 'node:crypto';
import type { ClientCertificate } from './http.ts';

/**
 * The subject of a certificate that somebody else has verified (a PEM text, or DER bytes), as Kubernetes reads it: the
 * last common name and every organization.
 * @throws {Error} where the bytes are not a certificate.
 */
export const readClientCertificate = (certificate: string | Uint8Array): ClientCertificate => {
  const parsed = new X509Certificate(certificate);
  // The legacy object keeps values apart; the one-text form would have to be taken apart again.
  const subject: Readonly<Record<string, unknown>> = { ...parsed.toLegacyObject().subject };
  return {
    pem: parsed.toString(),
    subject: { commonName: textsOf(subject.CN).at(-1) ?? '', organizations: textsOf(subject.O) },
  };
};

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
