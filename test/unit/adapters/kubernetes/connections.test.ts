import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { KubernetesClient } from '../../../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../../../src/adapters/system/system-clock.ts';
import { PermanentError, TransientError } from '../../../../src/core/errors.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { ApiServer, json } from './api-server.ts';

const { signal } = new AbortController();
const servers: ApiServer[] = [];

const open = async (kind: 'plain' | 'secure'): Promise<ApiServer> => {
  const server = await ApiServer[kind]();
  servers.push(server);
  return server;
};

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Waits until the client has seen its idle connections end. */
const cutAndNoticed = async (server: ApiServer): Promise<void> => {
  server.cut();
  await delay(50);
};

it('makes 100 calls with a pause in the middle over at most two connections', async () => {
  const server = await open('secure');
  const clock = new FakeClock();
  const client = new KubernetesClient(server.credentials, { clock });
  for (let call = 0; call < 50; call += 1) await client.get('/api/v1/nodes/a', { signal });
  await clock.advance(10_000);
  for (let call = 0; call < 50; call += 1) await client.get('/api/v1/nodes/a', { signal });

  expect(server.received).toHaveLength(100);
  expect(server.connections).toBe(1);
  client.close();
});

it('opens a second connection, and no more, where the server closed the first in the pause', async () => {
  const server = await open('secure');
  const client = new KubernetesClient(server.credentials, { clock: new FakeClock() });
  for (let call = 0; call < 50; call += 1) await client.get('/api/v1/nodes/a', { signal });
  await cutAndNoticed(server);
  for (let call = 0; call < 50; call += 1) await client.get('/api/v1/nodes/a', { signal });

  expect(server.connections).toBe(2);
  client.close();
});

it.each(['GET', 'POST'])('sends a %s once more where a kept connection turns out to be dead', async (method) => {
  const server = await open('secure');
  const client = new KubernetesClient(server.credentials, { clock: new FakeClock() });
  await client.get('/api/v1/nodes/a', { signal });
  let cuts = 0;
  server.answer = (_, response) => {
    if (cuts++ === 0) server.cut();
    else json(response, 200, { kind: 'Node' });
  };
  const answer = method === 'GET' ? client.get('/x', { signal }) : client.create('/x', {}, { signal });

  expect(await answer).toEqual({ kind: 'Node' });
  expect(server.received.map((request) => request.method)).toEqual(['GET', method, method]);
  client.close();
});

it('does so once: a server that cuts every connection is an error', async () => {
  const server = await open('secure');
  const client = new KubernetesClient(server.credentials, { clock: new FakeClock() });
  await client.get('/api/v1/nodes/a', { signal });
  server.answer = () => server.cut();

  await expect(client.get('/x', { signal })).rejects.toThrow(TransientError);
  expect(server.received).toHaveLength(3);
  client.close();
});

it('does not repeat a request that broke on a new connection', async () => {
  const server = await open('secure');
  server.answer = () => server.cut();
  const client = new KubernetesClient(server.credentials, { clock: new FakeClock() });

  await expect(client.create('/x', {}, { signal })).rejects.toThrow(/does not answer \(ECONNRESET\)/);
  expect(server.received).toHaveLength(1);
  client.close();
});

it('does not repeat a request that was answered in part', async () => {
  const server = await open('plain');
  const client = new KubernetesClient(server.credentials, { clock: new FakeClock() });
  await client.get('/api/v1/nodes/a', { signal });
  server.answer = (_, response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\nContent-Le');
    setTimeout(() => server.cut(), 20);
  };

  await expect(client.create('/x', {}, { signal })).rejects.toThrow(TransientError);
  expect(server.received).toHaveLength(2);
  client.close();
});

it('does not use a connection that idled for a minute, even if nobody closed it', async () => {
  const server = await open('secure');
  const clock = new FakeClock();
  const client = new KubernetesClient(server.credentials, { clock });
  await client.get('/api/v1/nodes/a', { signal });
  await clock.advance(59_000);
  await client.get('/api/v1/nodes/a', { signal });
  expect(server.connections).toBe(1);
  await clock.advance(60_000);
  await client.get('/api/v1/nodes/a', { signal });
  expect(server.connections).toBe(2);
  client.close();
});

it('gives up at the deadline, also in the middle of a body', async () => {
  const server = await open('plain');
  server.answer = (_, response) => {
    response.writeHead(200);
    response.write('{');
  };
  const client = new KubernetesClient(server.credentials, { clock: new SystemClock(), deadlineMs: 50 });

  await expect(client.get('/api/v1/nodes/a', { signal })).rejects.toThrow(
    'GET /api/v1/nodes/a: no answer within 0.05 s',
  );
  client.close();
});

it('ends the request when the caller gives up', async () => {
  const server = await open('plain');
  const caller = new AbortController();
  server.answer = () => caller.abort();
  const client = new KubernetesClient(server.credentials, { clock: new FakeClock() });

  await expect(client.get('/x', { signal: caller.signal })).rejects.toThrow('GET /x: given up before it was answered');
  await expect(client.get('/x', { signal: caller.signal })).rejects.toThrow(TransientError);
  expect(server.received).toHaveLength(1);
  client.close();
});

it('does not trust a server whose certificate another CA signed, and says what to give', async () => {
  const server = await open('secure');
  const other = await open('secure');
  const credentials = { ...server.credentials, certificateAuthority: other.credentials.certificateAuthority };
  const client = new KubernetesClient(credentials, { clock: new FakeClock() });
  const refused = client.get('/x', { signal });

  await expect(refused).rejects.toThrow(PermanentError);
  await expect(refused).rejects.toThrow(
    /is not trusted .* name the CA that signed it: certificate-authority-data of a kubeconfig/,
  );
  client.close();
});

it.each([
  { what: 'a client certificate that is none', credentials: { clientCertificate: 'none', clientKey: 'none' } },
  { what: 'a token of two lines', credentials: { token: 'one\ntwo' } },
])('does not try again with $what', async ({ credentials }) => {
  const server = await open('secure');
  const { clientCertificate: _certificate, clientKey: _key, ...others } = server.credentials;
  const client = new KubernetesClient({ ...others, ...credentials }, { clock: new FakeClock() });
  const refused = client.get('/x', { signal });

  await expect(refused).rejects.toThrow(PermanentError);
  await expect(refused).rejects.toThrow(/^GET \/x: the credentials for .* cannot be used/);
  expect(server.received).toEqual([]);
  client.close();
});

it('says which server does not answer', async () => {
  const server = await ApiServer.plain();
  await server.close();
  const client = new KubernetesClient(server.credentials, { clock: new FakeClock() });

  await expect(client.get('/version', { signal })).rejects.toThrow(
    `GET /version: ${server.credentials.server} does not answer (ECONNREFUSED)`,
  );
});
