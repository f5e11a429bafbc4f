import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

/** `requestContext.identity.clientCert` of a REST API behind a custom domain with mutual TLS. */
export interface ClientCert {
  readonly clientCertPem: string;
  readonly subjectDN: string;
  readonly issuerDN: string;
  readonly serialNumber: string;
  readonly validity: { readonly notBefore: string; readonly notAfter: string };
}

/** What a connection showed: nothing, a certificate of the trust store, or one that is not of it. */
export type PeerIdentity =
  | { readonly kind: 'none' }
  | { readonly kind: 'verified'; readonly clientCert: ClientCert }
  | { readonly kind: 'refused' };

/** Reads the client certificate of a request and whether it was verified against the trust store. */
export const peerIdentityOf = ({ socket }: IncomingMessage): PeerIdentity => {
  const peer = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  if (!(socket instanceof TLSSocket) || peer === undefined) return { kind: 'none' };
  return socket.authorized ? { kind: 'verified', clientCert: clientCertOf(peer.raw) } : { kind: 'refused' };
};

const clientCertOf = (der: Uint8Array): ClientCert => {
  const { subject, issuer, serialNumber, validFrom, validTo, ...certificate } = fieldsOf(new X509Certificate(der));
  return {
    clientCertPem: certificate.pem,
    subjectDN: distinguishedName(subject),
    issuerDN: distinguishedName(issuer),
    serialNumber: (serialNumber.match(/../g) ?? []).join(':').toLowerCase(),
    validity: { notBefore: validFrom, notAfter: validTo },
  };
};

// Getters of a native object: spread would lose them.
const fieldsOf = (certificate: X509Certificate) => ({
  pem: certificate.toString(),
  subject: certificate.subject,
  issuer: certificate.issuer,
  serialNumber: certificate.serialNumber,
  validFrom: certificate.validFrom,
  validTo: certificate.validTo,
});

/** RFC 2253 order: the most particular name first, `CN=jane,O=dev`. */
const distinguishedName = (lines: string): string => lines.split('\n').toReversed().join(',');
