import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../../../../infra/local/tls/certificate-authority.ts';

describe('the certificate authority', () => {
  it('issues server certificates for names and addresses', async () => {
    const authority = await createCertificateAuthority({
      commonName: 'local',
      now: Date.parse('2030-01-01T00:00:00Z'),
    });
    const { certificate, key } = await authority.issueServer({ commonName: 'api', names: ['localhost', '127.0.0.1'] });
    const parsed = new X509Certificate(certificate);
    expect(parsed.subject).toBe('CN=api');
    expect(parsed.issuer).toBe('CN=local');
    expect(parsed.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1');
    expect(parsed.ca).toBe(false);
    expect(parsed.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(parsed.validFromDate.toISOString()).toBe('2029-12-31T23:00:00.000Z');
    expect(parsed.validToDate.toISOString()).toBe('2031-01-01T00:00:00.000Z');
    expect(parsed.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+\n-----END PRIVATE KEY-----\n$/);
  });

  it('names users and groups in client certificates', async () => {
    const authority = await createCertificateAuthority({
      commonName: 'local',
      now: Date.parse('2030-01-01T00:00:00Z'),
    });
    const subject = { commonName: 'system:node:a', organizations: ['system:nodes', 'other'] };
    const parsed = new X509Certificate((await authority.issueClient(subject)).certificate);
    expect(parsed.subject).toBe('O=system:nodes\nO=other\nCN=system:node:a');
    expect(parsed.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  });

  it('is an authority itself, each time another one', async () => {
    const make = async (): Promise<X509Certificate> =>
      new X509Certificate((await createCertificateAuthority({ commonName: 'local', now: 0 })).certificate);
    const [one, two] = [await make(), await make()];
    expect(one.ca).toBe(true);
    expect(one.serialNumber).not.toBe(two.serialNumber);
  });

  it('makes certificates that both ends of a connection accept', async () => {
    const authority = await createCertificateAuthority({ commonName: 'local', now: Date.now() });
    const server = await authority.issueServer({ commonName: 'api', names: ['127.0.0.1'] });
    const client = await authority.issueClient({ commonName: 'me', organizations: ['us'] });
    const listener = createServer(
      { cert: server.certificate, key: server.key, ca: authority.certificate, requestCert: true },
      (socket) => socket.end([socket.getPeerCertificate().subject.CN].flat().join()),
    );
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address = listener.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { certificate: cert, key } = client;
    const socket: TLSSocket = connect({ host: '127.0.0.1', port, ca: authority.certificate, cert, key });
    const [said] = (await once(socket, 'data')) as [Buffer];
    expect(said.toString()).toBe('me');
    socket.destroy();
    listener.close();
  });
});
