import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeletHandler, KubeletResponse } from '../../../src/kubelet/http.ts';
import { type KubeletServer, startKubeletServer } from '../../../src/server/kubelet-server.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';
import { type KeyPair, TestAuthority } from './test-certificates.ts';

const OK: KubeletResponse = { status: 200, headers: {}, body: 'ok' };

let clients: TestAuthority;
let strangers: TestAuthority;
let serverPair: KeyPair;
let apiServer: KeyPair;
let server: KubeletServer;

beforeAll(async () => {
  clients = await TestAuthority.create('CN=client-ca');
  strangers = await TestAuthority.create('CN=client-ca');
  serverPair = await clients.issue({ subject: 'CN=system:node:vk-a', usage: 'server' });
  apiServer = await clients.issue({ subject: 'CN=kube-apiserver-kubelet-client' });
});

afterEach(() => server.close(0));

const start = async (handler: KubeletHandler): Promise<FakeClock> => {
  const clock = new FakeClock(Date.now());
  const certificates = { ...serverPair, clientCertificateAuthority: clients.certificate };
  const logger = new RecordingLogger();
  server = await startKubeletServer({ host: '127.0.0.1', port: 0, certificates, handler, clock, logger });
  return clock;
};

/** Names of the callers, as the handler is told them. */
const recording = async (): Promise<{ readonly clock: FakeClock; readonly callers: (string | undefined)[] }> => {
  const callers: (string | undefined)[] = [];
  const clock = await start(async ({ clientCertificate }) => {
    callers.push(clientCertificate?.subject.commonName);
    return OK;
  });
  return { clock, callers };
};

/** One connection, which tells when the server has ended it. */
const connect = async () => {
  const { port } = server;
  const { certificate: cert, privateKey: key } = apiServer;
  const socket = connectTls({ host: '127.0.0.1', port, ca: clients.certificate, cert, key });
  await once(socket, 'secureConnect');
  const ended = once(socket, 'end');
  const ask = async (): Promise<string> => {
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString().slice(0, 15);
  };
  return { ask, ended, close: () => socket.destroy() };
};

const API_SERVER = 'kube-apiserver-kubelet-client';

describe('a connection that stays open', () => {
  it('A-04 is believed until its certificate expires, and no longer', async () => {
    const { clock, callers } = await recording();
    const client = await connect();
    await client.ask();
    await clock.advance(2 * 86_400_000);
    await client.ask();
    expect(callers).toEqual([API_SERVER, undefined]);
    client.close();
  });

  it('A-04 ends once the clients have another authority', async () => {
    const { callers } = await recording();
    const [used, unused] = [await connect(), await connect()];
    await used.ask();
    server.renew({ ...serverPair, clientCertificateAuthority: strangers.certificate });
    await Promise.all([used.ended, unused.ended]);
    const again = await connect();
    await again.ask();
    expect(callers).toEqual([API_SERVER, undefined]);
    again.close();
  });

  it('ends then with the answer that is under way', async () => {
    const { promise: answer, resolve } = Promise.withResolvers<KubeletResponse>();
    const asking = Promise.withResolvers<void>();
    await start(() => {
      asking.resolve();
      return answer;
    });
    const client = await connect();
    const asked = client.ask();
    await asking.promise;
    server.renew({ ...serverPair, clientCertificateAuthority: strangers.certificate });
    resolve(OK);
    expect(await asked).toBe('HTTP/1.1 200 OK');
    await client.ended;
  });

  it('stays where only the certificate of the server is renewed', async () => {
    await recording();
    const client = await connect();
    await client.ask();
    server.renew({ ...serverPair, clientCertificateAuthority: clients.certificate });
    expect(await client.ask()).toBe('HTTP/1.1 200 OK');
    client.close();
  });

  it('believes nobody while the authority is not known, and asks for certificates again once it is', async () => {
    const { callers } = await recording();
    server.renew(serverPair);
    const before = await connect();
    await before.ask();
    server.renew({ ...serverPair, clientCertificateAuthority: clients.certificate });
    await before.ended;
    const after = await connect();
    await after.ask();
    expect(callers).toEqual([undefined, API_SERVER]);
    after.close();
  });
});
