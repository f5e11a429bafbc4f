import 'reflect-metadata';
import { createPrivateKey, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A new private key, and a request for a certificate of `subject` (and of a DNS name); PEM texts. */
export const certificateRequest = async (
  subject: string,
  dnsName?: string,
): Promise<{ readonly key: string; readonly request: string }> => {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions:
      dnsName === undefined ? [] : [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: dnsName }])],
  });
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'pkcs8' });
  return { key: String(key), request: request.toString('pem') };
};
