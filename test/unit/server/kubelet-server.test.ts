import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeletHandler, KubeletRequest, KubeletResponse } from '../../../src/kubelet/http.ts';
import { type KubeletServer, startKubeletServer } from '../../../src/server/kubelet-server.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';
import { type KeyPair, TestAuthority } from './test-certificates.ts';

const OK: KubeletResponse = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' };

let clients: TestAuthority;
let strangers: TestAuthority;
let serverPair: KeyPair;
let apiServer: KeyPair;
const servers: KubeletServer[] = [];
const agents: Agent[] = [];

beforeAll(async () => {
  clients = await TestAuthority.create('CN=client-ca');
  strangers = await TestAuthority.create('CN=client-ca');
  serverPair = await clients.issue({ subject: 'O=system:nodes, CN=system:node:vk-a', usage: 'server' });
  apiServer = await clients.issue({ subject: 'O=system:masters, CN=kube-apiserver-kubelet-client' });
});

afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

const start = async (
  handler: KubeletHandler,
  withClients = true,
): Promise<{ server: KubeletServer; logger: RecordingLogger; clock: FakeClock }> => {
  const logger = new RecordingLogger();
  const clock = new FakeClock(Date.now());
  const server = await startKubeletServer({
    host: '127.0.0.1',
    port: 0,
    certificates: {
      certificate: serverPair.certificate,
      privateKey: serverPair.privateKey,
      ...(withClients ? { clientCertificateAuthority: clients.certificate } : {}),
    },
    handler,
    clock,
    logger,
  });
  servers.push(server);
  return { server, logger, clock };
};

/** A server that keeps what it was asked. */
const recording = async (withClients = true): Promise<{ server: KubeletServer; requests: KubeletRequest[] }> => {
  const requests: KubeletRequest[] = [];
  const { server } = await start(async (request) => {
    requests.push(request);
    return OK;
  }, withClients);
  return { server, requests };
};

const open = async (
  server: KubeletServer,
  options: RequestOptions = {},
  body?: Uint8Array,
): Promise<IncomingMessage> => {
  const agent = new Agent({ keepAlive: true });
  agents.push(agent);
  const call = httpsRequest({ host: '127.0.0.1', port: server.port, ca: clients.certificate, agent, ...options });
  call.end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return response;
};

const textOf = async (message: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

const withCertificate = (pair: KeyPair): RequestOptions => ({ cert: pair.certificate, key: pair.privateKey });

describe('the kubelet server', () => {
  it('hands a request over as it is and sends the answer back', async () => {
    const { server, requests } = await recording();
    const response = await open(
      server,
      {
        method: 'POST',
        path: '/exec/ns/%77eb/app?command=a%20b&command=c&command=%FF',
        headers: { 'X-Stream-Protocol-Version': ['v5', 'v4'] },
      },
      Buffer.from([1, 2, 255]),
    );
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/plain');
    expect(await textOf(response)).toBe('ok');
    const [request] = requests;
    expect(request).toMatchObject({ method: 'POST', path: '/exec/ns/%77eb/app' });
    expect([request?.query.getAll('command'), request?.garbled]).toEqual([['a b', 'c', '\ufffd'], true]);
    expect(request?.headers['x-stream-protocol-version']).toBe('v5, v4');
    expect(request?.body).toEqual(Buffer.from([1, 2, 255]));
    expect(request?.clientCertificate).toBeUndefined();
  });

  it.each([
    { target: 'https://node-1:10250/pods', path: '/pods', query: '' },
    { target: 'HTTP://x/healthz?verbose=1', path: '/healthz', query: 'verbose=1' },
    { target: 'http://x?a=b', path: '/', query: 'a=b' },
    { target: '//x/pods', path: '//x/pods', query: '' },
    { target: '/a?from=http://x/y', path: '/a', query: 'from=http%3A%2F%2Fx%2Fy' },
  ])('takes the target $target', async ({ target, path, query }) => {
    const { server, requests } = await recording();
    await open(server, { path: target });
    expect([requests[0]?.path, String(requests[0]?.query)]).toEqual([path, query]);
  });

  it('tells who presented a certificate of the client authority', async () => {
    const { server, requests } = await recording();
    await open(server, withCertificate(apiServer));
    expect(requests[0]?.clientCertificate?.subject).toEqual({
      commonName: 'kube-apiserver-kubelet-client',
      organizations: ['system:masters'],
    });
  });

  it.each([
    {
      what: 'of another authority of the same name',
      pair: () => strangers.issue({ subject: 'CN=kube-apiserver-kubelet-client' }),
    },
    {
      what: 'that has expired',
      pair: () => clients.issue({ subject: 'CN=jane', notAfter: new Date(Date.now() - 60_000) }),
    },
    {
      what: 'that is not valid yet',
      pair: () => clients.issue({ subject: 'CN=jane', notBefore: new Date(Date.now() + 60_000) }),
    },
    { what: 'made for servers', pair: () => clients.issue({ subject: 'CN=system:node:vk-a', usage: 'server' }) },
  ])('believes no certificate $what', async ({ pair }) => {
    const { server, requests } = await recording();
    await open(server, withCertificate(await pair()));
    expect(requests).toHaveLength(1);
    expect(requests[0]?.clientCertificate).toBeUndefined();
  });

  it('believes no certificate at all without a client authority', async () => {
    const { server, requests } = await recording(false);
    await open(server, withCertificate(apiServer));
    expect(requests[0]?.clientCertificate).toBeUndefined();
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('resumes no session on %s', async (maxVersion) => {
    const { server, requests } = await recording();
    const session = await sessionOf(server, { ...withCertificate(apiServer), maxVersion });
    const socket = connectTls({
      host: '127.0.0.1',
      port: server.port,
      ca: clients.certificate,
      maxVersion,
      ...(session && { session }),
    });
    await once(socket, 'secureConnect');
    expect(socket.isSessionReused()).toBe(false);
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await textOf(socket);
    expect(requests.at(-1)?.clientCertificate).toBeUndefined();
  });

  it('offers HTTP/1.1 and nothing below TLS 1.2', async () => {
    const { server } = await recording();
    const socket = connectTls({
      host: '127.0.0.1',
      port: server.port,
      ca: clients.certificate,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe('http/1.1');
    socket.destroy();
    const old = connectTls({
      host: '127.0.0.1',
      port: server.port,
      ca: clients.certificate,
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    await expect(once(old, 'secureConnect')).rejects.toThrow(/protocol version|unsupported/i);
  });

  it('serves new connections with a renewed certificate', async () => {
    const { server } = await recording();
    const renewed = await clients.issue({ subject: 'CN=renewed', usage: 'server' });
    server.renew({
      certificate: renewed.certificate,
      privateKey: renewed.privateKey,
      clientCertificateAuthority: clients.certificate,
    });
    const response = await open(server, { checkServerIdentity: () => undefined });
    expect((response.socket as TLSSocket).getPeerCertificate().subject.CN).toBe('renewed');
  });

  describe('requests sent before the answer to the one before', () => {
    const connected = async (server: KubeletServer): Promise<TLSSocket> => {
      const socket = connectTls({ host: '127.0.0.1', port: server.port, ca: clients.certificate });
      socket.on('error', () => undefined);
      await once(socket, 'secureConnect');
      return socket;
    };
    const pods = 'GET /pods HTTP/1.1\r\nhost: x\r\n\r\n';
    const upgrade = 'POST /exec HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: SPDY/3.1\r\n\r\n';
    /** A server that never answers, and the signals of what it was asked. */
    const silent = async (): Promise<{ server: KubeletServer; signals: AbortSignal[] }> => {
      const signals: AbortSignal[] = [];
      const { server } = await start((request) => {
        signals.push(request.signal);
        return new Promise(() => undefined);
      });
      return { server, signals };
    };

    it('are all given up when their connection goes', async () => {
      const { server, signals } = await silent();
      const socket = await connected(server);
      socket.write(pods + pods + pods);
      await expect.poll(() => signals.length).toBe(3);
      socket.destroy();
      await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
    });

    it('end the connection where they are more than four', async () => {
      const { server, signals } = await silent();
      const socket = await connected(server);
      socket.write(pods.repeat(30));
      await once(socket, 'close');
      expect(signals).toHaveLength(4);
    });

    it('end it where one of them is an upgrade: it would write into the answer before', async () => {
      const { server, signals } = await silent();
      const socket = await connected(server);
      socket.write(pods + upgrade);
      await once(socket, 'close');
      expect(signals).toHaveLength(1);
    });
  });

  it.each(['SPDY/3.1', 'websocket'])('answers an upgrade to %s as a plain request', async (protocol) => {
    const status = { status: 501, headers: { 'content-type': 'application/json' }, body: '{"kind":"Status"}' };
    const { server } = await start(async () => status);
    const response = await open(server, {
      method: 'POST',
      headers: { connection: 'Upgrade', upgrade: protocol, 'content-length': '0' },
    });
    expect(response.statusCode).toBe(501);
    expect(await textOf(response)).toBe('{"kind":"Status"}');
  });

  it('answers what it does not upgrade to as if it was not asked', async () => {
    const { server } = await recording();
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' };
    const response = await open(server, { headers });
    expect([response.statusCode, await textOf(response)]).toEqual([200, 'ok']);
  });

  it('refuses a long body', async () => {
    const { server, requests } = await recording();
    const response = await open(server, { method: 'POST' }, Buffer.alloc(1_048_577));
    expect(response.statusCode).toBe(413);
    expect(requests).toEqual([]);
  });

  it('answers 500 and says nothing where the handler fails', async () => {
    const { server, logger } = await start(async () => {
      throw new Error('secret detail');
    });
    const response = await open(server);
    expect(response.statusCode).toBe(500);
    expect(await textOf(response)).toBe('internal error');
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'request failed' }]);
  });
});

const sessionOf = async (server: KubeletServer, options: RequestOptions): Promise<Buffer | undefined> => {
  const socket = connectTls({ host: '127.0.0.1', port: server.port, ca: clients.certificate, ...options } as object);
  let session: Buffer | undefined;
  socket.on('session', (ticket: Buffer) => {
    session = ticket;
  });
  await once(socket, 'secureConnect');
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  await textOf(socket);
  return session ?? socket.getSession();
};
