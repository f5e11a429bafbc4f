import { writeFile } from 'node:fs/promises';
import { request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../../infra/local/tls/certificate-authority.ts';
import type { Node } from '../../src/model/kubernetes.ts';
import { NODE, SvkRunWorld } from './svk-run-world.ts';
import { takenPort } from './taken-port.ts';

let world: SvkRunWorld;
beforeAll(async () => {
  world = await SvkRunWorld.create();
});
afterEach(() => world.clear());
afterAll(() => world.close());

const portOf = ({ status }: Node): number => status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;

/** Status and certificate of the kubelet API. */
const kubelet = (
  port: number,
  requestPath: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: string; readonly issuer: string }> =>
  new Promise((resolve, reject) => {
    const agent = new Agent({ rejectUnauthorized: false });
    const outgoing = request({ host: '127.0.0.1', port, path: requestPath, headers, agent }, (response) => {
      const issuer = (response.socket as TLSSocket).getPeerX509Certificate()?.issuer ?? '';
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, issuer }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });

const plain = (port: number, requestPath: string): Promise<number> =>
  new Promise((resolve, reject) => {
    plainRequest({ host: '127.0.0.1', port, path: requestPath }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

describe('the kubelet API', () => {
  it('asks for credentials, and shows a certificate that nobody has signed', async () => {
    const svk = world.run([]);
    const port = portOf(await world.ready(svk));
    expect(await kubelet(port, '/pods')).toMatchObject({ status: 401, issuer: `CN=${NODE}` });
    const known = await kubelet(port, '/pods', { authorization: `Bearer ${world.api.token}` });
    expect(known).toMatchObject({ status: 200 });
    expect(svk.log()).toContain('the kubelet API has a certificate that nobody has signed');
  });

  it('answers anybody with --insecure-allow-anonymous, and says so', async () => {
    const svk = world.run(['--insecure-allow-anonymous']);
    expect(await kubelet(portOf(await world.ready(svk)), '/pods')).toMatchObject({ status: 200 });
    expect(svk.log()).toContain('--insecure-allow-anonymous is for tests');
  });

  it('is told who may call it by --client-ca-file, and takes its key pair from files', async () => {
    const authority = await createCertificateAuthority({ commonName: 'own-ca', now: Date.now() });
    const server = await authority.issueServer({ commonName: 'kubelet', names: ['127.0.0.1'] });
    const files = { 'tls.crt': server.certificate, 'tls.key': server.key, 'ca.crt': authority.certificate };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(world.folder, name), text);
    const svk = world.run([], {
      APISERVER_CERT_LOCATION: path.join(world.folder, 'tls.crt'),
      APISERVER_KEY_LOCATION: path.join(world.folder, 'tls.key'),
      APISERVER_CA_CERT_LOCATION: path.join(world.folder, 'ca.crt'),
    });
    expect(await kubelet(portOf(await world.ready(svk)), '/pods')).toMatchObject({ status: 401, issuer: 'CN=own-ca' });
    expect(svk.log()).not.toContain('nobody has signed');
  });

  it('needs an address that is free, and files that belong together', async () => {
    const { server, port } = await takenPort();
    const taken = world.run(['--listen', `127.0.0.1:${port}`]);
    expect(await taken.ended).toBe(3);
    expect(taken.log()).toContain(`svk: the kubelet API cannot listen at 127.0.0.1:${port} (EADDRINUSE)`);
    server.close();
    await writeFile(path.join(world.folder, 'no.pem'), 'no certificate');
    const file = path.join(world.folder, 'no.pem');
    const wrong = world.run(['--tls-cert-file', file, '--tls-private-key-file', file]);
    expect(await wrong.ended).toBe(3);
    expect(wrong.log()).toContain('svk: the certificate and the private key of the kubelet API must be PEM texts');
  });

  it('is where KUBELET_PORT or --listen says', async () => {
    const { server, port } = await takenPort();
    await new Promise((resolve) => server.close(resolve));
    expect(portOf(await world.ready(world.run(['--listen', `127.0.0.1:${port}`])))).toBe(port);
  });
});

describe('--metrics-addr', () => {
  it('tells whether the node is ready', async () => {
    const { server, port } = await takenPort();
    await new Promise((resolve) => server.close(resolve));
    await world.ready(world.run(['--metrics-addr', `127.0.0.1:${port}`]));
    expect([await plain(port, '/healthz'), await plain(port, '/readyz')]).toEqual([200, 200]);
  });

  it('must be free where it was asked for', async () => {
    const { server, port } = await takenPort();
    const svk = world.run(['--metrics-addr', `127.0.0.1:${port}`]);
    expect(await svk.ended).toBe(3);
    expect(svk.log()).toContain(`svk: --metrics-addr 127.0.0.1:${port} cannot be listened at: choose another`);
    server.close();
  });
});
