import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

/** A certificate (with nothing above it) and its private key, both as PEM texts. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** What a client certificate says about its holder: Kubernetes reads CN as the user, each O as a group. */
export interface ClientSubject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

/** A server certificate's names: IP addresses and DNS names, told apart by their form. */
export interface ServerSubject {
  readonly commonName: string;
  readonly names: readonly string[];
}

export interface CertificateAuthority {
  /** The CA's own certificate, PEM. */
  readonly certificate: string;
  issueServer(subject: ServerSubject): Promise<KeyPair>;
  issueClient(subject: ClientSubject): Promise<KeyPair>;
}

export interface CertificateAuthorityOptions {
  readonly commonName: string;
  /** Milliseconds since the epoch; certificates are valid from an hour earlier, so that skewed clocks accept them. */
  readonly now: number;
  /** @default 365 */
  readonly validDays?: number;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Makes a certificate authority for use on this machine alone: EC P-256, the key stays in this process. Certificates
 * carry the extensions Go's TLS demands (SANs, key usage, extended key usage).
 */
export const createCertificateAuthority = async (
  options: CertificateAuthorityOptions,
): Promise<CertificateAuthority> => {
  const notBefore = new Date(options.now - HOUR_MS);
  const notAfter = new Date(options.now + (options.validDays ?? 365) * DAY_MS);
  const authorityKeys = await newKeys();
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: distinguishedName(options.commonName),
    notBefore,
    notAfter,
    keys: authorityKeys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });

  const issue = async (subject: x509.JsonName, extensions: readonly x509.Extension[]): Promise<KeyPair> => {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject,
      issuer: authority.subject,
      notBefore,
      notAfter,
      publicKey: keys.publicKey,
      signingKey: authorityKeys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
        ...extensions,
      ],
    });
    return { certificate: `${certificate.toString('pem')}\n`, key: await privateKeyPem(keys.privateKey) };
  };

  return {
    certificate: `${authority.toString('pem')}\n`,
    issueServer: ({ commonName, names }) =>
      issue(distinguishedName(commonName), [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(
          names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
        ),
      ]),
    issueClient: ({ commonName, organizations = [] }) =>
      issue(distinguishedName(commonName, organizations), [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
      ]),
  };
};

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

/** 127 random bits: a serial number is positive, so the top bit stays clear. */
const serialNumber = (): string => {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
};

const distinguishedName = (commonName: string, organizations: readonly string[] = []): x509.JsonName => [
  ...organizations.map((organization) => ({ O: [organization] })),
  { CN: [commonName] },
];

const privateKeyPem = async (key: webcrypto.CryptoKey): Promise<string> => {
  const base64 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/(.{64})(?!$)/g, '$1\n')}\n-----END PRIVATE KEY-----\n`;
};
