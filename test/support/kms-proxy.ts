import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority } from '../../infra/local/tls/certificate-authority.ts';

export interface KmsProxy {
  /** For programs that call `kms.<region>.amazonaws.com` and cannot be told another address. */
  readonly environment: Readonly<Record<string, string>>;
  /** Calls so far. */
  calls(): number;
  close(): void;
}

/** Passes what programs send to KMS in a region, with TLS and all, on to the KMS of the local cloud at `url`. */
export const startKmsProxy = async (url: string, region: string): Promise<KmsProxy> => {
  const name = `kms.${region}.amazonaws.com`;
  const authority = await createCertificateAuthority({ commonName: 'kms proxy', now: Date.now() });
  const { certificate, key } = await authority.issueServer({ commonName: name, names: [name] });
  const folder = mkdtempSync(path.join(tmpdir(), 'svk-kms-'));
  const bundle = path.join(folder, 'ca.pem');
  writeFileSync(bundle, authority.certificate);
  let calls = 0;
  const kms = createTlsServer({ key, cert: certificate }, (incoming, response) => {
    calls += 1;
    const headers = { ...incoming.headers, host: new URL(url).host };
    const onwards = request(url, { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onwards.on('error', () => response.destroy());
    incoming.pipe(onwards);
  });
  const proxy = createServer((_, response) => response.writeHead(501).end());
  proxy.on('connect', ({ url: host }, socket) => {
    if (host !== `${name}:443`) return socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    return kms.emit('connection', socket);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return {
    environment: {
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      AWS_CA_BUNDLE: bundle,
    },
    calls: () => calls,
    close: () => {
      kms.closeAllConnections();
      proxy.closeAllConnections();
      proxy.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
