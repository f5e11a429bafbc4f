import 'reflect-metadata';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from '@peculiar/x509';
import { expect, it } from 'vitest';
import { makeCertificateRequest } from '../../../../src/adapters/tls/certificate-request.ts';

it('asks, in words that another reader understands, for a node’s serving certificate', async () => {
  const names = ['fargate', 'fargate.svk.example.com', '192.0.2.7', '2001:db8::7'];
  const { privateKey, request } = makeCertificateRequest({
    organization: 'system:nodes',
    commonName: 'system:node:fargate',
    names,
  });

  const read = new Pkcs10CertificateRequest(request);
  expect(read.subject).toBe('O=system:nodes, CN=system:node:fargate');
  expect(read.extensions.find((one) => one instanceof SubjectAlternativeNameExtension)?.names.toJSON()).toEqual([
    { type: 'dns', value: 'fargate' },
    { type: 'dns', value: 'fargate.svk.example.com' },
    { type: 'ip', value: '192.0.2.7' },
    { type: 'ip', value: '2001:db8::7' },
  ]);
  expect(read.extensions).toHaveLength(1);
  expect(await read.verify()).toBe(true);
  const key = createPrivateKey(privateKey);
  expect(key.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  const own = createPublicKey(key).export({ type: 'spki', format: 'der' });
  expect(Buffer.from(read.publicKey.rawData).equals(own)).toBe(true);
});

it('makes a new key each time', () => {
  const subject = { organization: 'system:nodes', commonName: 'system:node:a', names: ['a'] };
  expect(makeCertificateRequest(subject).privateKey).not.toBe(makeCertificateRequest(subject).privateKey);
});
