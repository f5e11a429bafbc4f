import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** PEM texts of a certificate and its key. */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface LeafOptions {
  readonly subject: string;
  /** Default: client authentication. */
  readonly usage?: 'client' | 'server';
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** A certificate authority for tests. */
export class TestAuthority {
  readonly certificate: string;
  readonly #certificate: X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.certificate = certificate.toString('pem');
    this.#certificate = certificate;
    this.#keys = keys;
  }

  static async create(name = 'CN=test-ca'): Promise<TestAuthority> {
    const keys = await generateKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name,
      keys,
      signingAlgorithm: ALGORITHM,
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + DAY_MS),
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      ],
    });
    return new TestAuthority(certificate, keys);
  }

  /** Signs a request as a signer does: subject and names as asked for. */
  async sign(
    request: string,
    { notBefore, notAfter }: { readonly notBefore: number; readonly notAfter: number },
  ): Promise<string> {
    const asked = new Pkcs10CertificateRequest(request);
    if (!(await asked.verify())) throw new Error('the request is not signed by its key');
    const certificate = await X509CertificateGenerator.create({
      subject: asked.subject,
      issuer: this.#certificate.subject,
      publicKey: asked.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      notBefore: new Date(notBefore),
      notAfter: new Date(notAfter),
      extensions: [...asked.extensions, new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth])],
    });
    return `${certificate.toString('pem')}\n`;
  }

  async issue({ subject, usage = 'client', notBefore, notAfter }: LeafOptions): Promise<KeyPair> {
    const keys = await generateKeys();
    const certificate = await X509CertificateGenerator.create({
      subject,
      issuer: this.#certificate.subject,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      notBefore: notBefore ?? new Date(Date.now() - DAY_MS),
      notAfter: notAfter ?? new Date(Date.now() + DAY_MS),
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([usage === 'client' ? ExtendedKeyUsage.clientAuth : ExtendedKeyUsage.serverAuth]),
        ...(usage === 'server' ? [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])] : []),
      ],
    });
    const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    return { certificate: certificate.toString('pem'), privateKey: PemConverter.encode(key, 'PRIVATE KEY') };
  }
}

const generateKeys = async (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
