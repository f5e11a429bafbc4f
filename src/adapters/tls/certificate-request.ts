import { generateKeyPairSync, sign } from 'node:crypto';
import { bitString, explicit, objectIdentifier, sequence, set, unsignedInteger } from './der.ts';
import { pem } from './pem.ts';
import { commonName, ECDSA_WITH_SHA256, organization, subjectAlternativeNames } from './x509.ts';

const VERSION_1 = unsignedInteger(Uint8Array.of(0));
const EXTENSION_REQUEST = objectIdentifier('1.2.840.113549.1.9.14');

/**
 * A new EC P-256 key and a request (PKCS#10, RFC 2986) for its certificate; PEM texts. `names`: IP addresses and DNS names.
 * Written here because the writer of DER is here already, for the self-signed certificate: the library that tests use
 * (`@peculiar/x509`) would add 4.6 MB and a tenth of a second to every start.
 */
export const makeCertificateRequest = (subject: {
  readonly organization: string;
  readonly commonName: string;
  readonly names: readonly string[];
}): { readonly privateKey: string; readonly request: string } => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const content = sequence(
    VERSION_1,
    sequence(organization(subject.organization), commonName(subject.commonName)),
    publicKey.export({ type: 'spki', format: 'der' }),
    // [0] stands in the place of the tag of the set of attributes.
    explicit(0, sequence(EXTENSION_REQUEST, set(sequence(subjectAlternativeNames(subject.names))))),
  );
  const signature = sign('sha256', content, privateKey);
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    request: pem('CERTIFICATE REQUEST', sequence(content, ECDSA_WITH_SHA256, bitString(signature))),
  };
};
