import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:tls';
import { expect, it } from 'vitest';
import { selfSigned } from '../../../../src/adapters/tls/self-signed.ts';

const NAMES = ['fargate', '192.0.2.7', '2001:db8::7', '::1', '2001:db8:1:2:3:4:5:6'];

it.each([
  { year: 2030, from: 'Dec 31 23:00:00 2029 GMT', to: 'Jan  1 00:00:00 2031 GMT' },
  { year: 2049, from: 'Dec 31 23:00:00 2048 GMT', to: 'Jan  1 00:00:00 2050 GMT' },
])('makes a certificate for all its names, in $year', ({ year, from, to }) => {
  const { certificate, privateKey } = selfSigned({ commonName: 'fargate', names: NAMES, now: Date.UTC(year, 0, 1) });
  const parsed = new X509Certificate(certificate);
  expect(parsed.subject).toBe('CN=fargate');
  expect(parsed.issuer).toBe('CN=fargate');
  expect([parsed.validFrom, parsed.validTo]).toEqual([from, to]);
  expect(parsed.subjectAltName).toBe(
    'DNS:fargate, IP Address:192.0.2.7, IP Address:2001:DB8:0:0:0:0:0:7, IP Address:0:0:0:0:0:0:0:1, ' +
      'IP Address:2001:DB8:1:2:3:4:5:6',
  );
  expect(parsed.ca).toBe(false);
  expect(parsed.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(parsed.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
  expect(parsed.checkPrivateKey(createPrivateKey(privateKey))).toBe(true);
  expect(parsed.verify(parsed.publicKey)).toBe(true);
});

it('serves TLS to a client that trusts it, by name and by address', async () => {
  const { certificate, privateKey } = selfSigned({
    commonName: 'fargate',
    names: ['127.0.0.1', 'localhost'],
    now: Date.now(),
  });
  const server = createServer({ cert: certificate, key: privateKey }, (socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const socket = connect({ host: '127.0.0.1', port, ca: certificate });
  await once(socket, 'secureConnect');
  expect(socket.authorized).toBe(true);
  socket.destroy();
  server.close();
});
