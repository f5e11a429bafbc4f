import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { readClientCertificate } from '../../../src/kubelet/client-certificate.ts';
import { TestAuthority } from '../server/test-certificates.ts';

describe('client certificate', () => {
  let authority: TestAuthority;
  beforeAll(async () => {
    authority = await TestAuthority.create();
  });

  it.each([
    {
      subject: 'O=system:masters, CN=kube-apiserver-kubelet-client',
      commonName: 'kube-apiserver-kubelet-client',
      organizations: ['system:masters'],
    },
    { subject: 'O=a, O=b, CN=first, CN=last', commonName: 'last', organizations: ['a', 'b'] },
    { subject: 'O=a\\, CN\\=admin, CN=jane', commonName: 'jane', organizations: ['a, CN=admin'] },
    { subject: 'O=only', commonName: '', organizations: ['only'] },
    { subject: 'CN=nobody', commonName: 'nobody', organizations: [] },
  ])('reads $subject', async ({ subject, commonName, organizations }) => {
    const { certificate } = await authority.issue({ subject });
    const fromPem = readClientCertificate(certificate);
    expect(fromPem.subject).toEqual({ commonName, organizations });
    expect(readClientCertificate(new X509Certificate(certificate).raw)).toEqual(fromPem);
  });

  it('refuses what is none', () => {
    expect(() => readClientCertificate('not a certificate')).toThrow(/PEM|asn1|DER/i);
  });
});
