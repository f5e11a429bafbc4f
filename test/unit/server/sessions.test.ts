import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { PassThrough } from 'node:stream';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { InvalidError } from '../../../src/core/errors.ts';
import type { KubeletUpgrade, RemoteCommandUpgrade, UpgradeHandler } from '../../../src/kubelet/upgrade.ts';
import { type KubeletServer, startKubeletServer } from '../../../src/server/kubelet-server.ts';
import type { StreamLimits } from '../../../src/streaming/session.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';
import { eventually } from '../../support/streaming/wait.ts';
import { SessionClients } from './session-clients.ts';
import { type KeyPair, TestAuthority } from './test-certificates.ts';

const LIMITS: StreamLimits = { idleTimeoutMs: 600_000, creationTimeoutMs: 30_000 };
const SUBJECT = {
  session: 'exec',
  user: 'jane',
  namespace: 'default',
  pod: 'web',
  podUid: 'u-1',
  container: 'app',
  program: 'sh',
} as const;

let authority: TestAuthority;
let serverPair: KeyPair;
const servers: KubeletServer[] = [];
let clients: SessionClients;

beforeAll(async () => {
  authority = await TestAuthority.create();
  serverPair = await authority.issue({ subject: 'CN=system:node:vk-a', usage: 'server' });
  clients = new SessionClients(authority.certificate);
});
afterEach(async () => {
  clients.end();
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

const start = async (handler: UpgradeHandler, streamLimits = LIMITS, maxSessions = 100) => {
  const logger = new RecordingLogger();
  const clock = new FakeClock();
  const certificates = { ...serverPair, clientCertificateAuthority: authority.certificate };
  const server = await startKubeletServer({
    host: '127.0.0.1',
    port: 0,
    certificates,
    handler,
    streamLimits,
    maxSessions,
    clock,
    logger,
  });
  servers.push(server);
  const audit = () => logger.lines.filter(({ message }) => message === 'session ended').map(({ fields }) => fields);
  return { server, logger, clock, audit };
};

const upgradeTo = (run: RemoteCommandUpgrade['run'], options = {}): KubeletUpgrade => ({
  kind: 'remote-command',
  subject: SUBJECT,
  options: { stdin: true, stdout: true, stderr: true, tty: false, ...options },
  run,
});

const STATUS = 3;

describe('sessions of the kubelet server', () => {
  it('run, tell their end, and leave one line', async () => {
    const { server, audit } = await start(async () =>
      upgradeTo(async ({ stdin, stdout, stderr }) => {
        for await (const chunk of stdin ?? new PassThrough()) stdout?.write(chunk);
        stderr?.write('bad');
        return 3;
      }),
    );
    const client = await clients.open(server);
    client.socket.send(Buffer.from('\0hello'));
    client.socket.send(Buffer.of(255, 0));
    await client.closed;
    expect([client.channel(1), client.channel(2)]).toEqual(['hello', 'bad']);
    expect(JSON.parse(client.channel(STATUS))).toMatchObject({ status: 'Failure', reason: 'NonZeroExitCode' });
    await eventually(() => audit().length === 1);
    const figures = { transport: 'websocket', protocol: 'v5.channel.k8s.io', bytesIn: 5, bytesOut: 8, durationMs: 0 };
    expect(audit()).toEqual([{ ...SUBJECT, ...figures, result: 'exit 3' }]);
  });

  it.each([
    { error: new InvalidError('no such program'), message: 'no such program', result: 'failed: invalid' },
    { error: new Error('secret detail'), message: 'internal error', result: 'failed: internal' },
  ])('tell what kept a command from running: $message', async ({ error, message, result }) => {
    const { server, audit } = await start(async () => upgradeTo(() => Promise.reject(error)));
    const client = await clients.open(server);
    await client.closed;
    expect(JSON.parse(client.channel(STATUS))).toMatchObject({ status: 'Failure', message });
    await eventually(() => audit().length === 1);
    expect(audit()).toMatchObject([{ result }]);
  });

  it('end their command when the client goes', async () => {
    let isOver = false;
    const { server, audit } = await start(async () =>
      upgradeTo(
        (_streams, signal) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              isOver = true;
              reject(new Error('over'));
            });
          }),
      ),
    );
    const client = await clients.open(server);
    client.socket.terminate();
    await eventually(() => isOver);
    await eventually(() => audit().length === 1);
    expect(audit()).toMatchObject([{ result: 'cut: the client has gone' }]);
  });

  it('X-11 end after --stream-idle-timeout without a byte, and not before', async () => {
    const { server, clock, audit } = await start(async () => upgradeTo(forever), { ...LIMITS, idleTimeoutMs: 60_000 });
    const client = await clients.open(server);
    await clock.advance(50_000);
    client.socket.send(Buffer.from('\0x'));
    client.socket.ping();
    await once(client.socket, 'pong');
    await clock.advance(59_000);
    expect(client.channel(STATUS)).toBe('');
    await clock.advance(2_000);
    await client.closed;
    expect(JSON.parse(client.channel(STATUS))).toMatchObject({
      status: 'Failure',
      message: expect.stringContaining('60 s'),
    });
    await eventually(() => audit().length === 1);
    expect(audit()).toMatchObject([{ result: 'cut: nothing was sent or received for 60 s' }]);
  });

  it('X-11 live through two hours of silence, and carry messages of any size', async () => {
    const { server, clock } = await start(
      async () =>
        upgradeTo(async ({ stdin, stdout }) => {
          for await (const chunk of stdin ?? new PassThrough()) stdout?.write(chunk);
          return 0;
        }),
      { ...LIMITS, idleTimeoutMs: 14_400_000 },
    );
    const client = await clients.open(server);
    let pings = 0;
    client.socket.on('ping', () => {
      pings += 1;
    });
    for (let minute = 0; minute < 125; minute += 1) await clock.advance(60_000);
    await eventually(() => pings > 0, 'a ping');
    const message = 'm'.repeat(200_000);
    client.socket.send(Buffer.from(`\0${message}`));
    await eventually(() => client.channel(1) === message, 'the echo');
    client.socket.send(Buffer.of(255, 0));
    await client.closed;
    expect(JSON.parse(client.channel(STATUS))).toMatchObject({ status: 'Success' });
  });

  it('never begin where the client opens no streams within --stream-creation-timeout', async () => {
    let began = false;
    const { server, clock } = await start(
      async () =>
        upgradeTo(async () => {
          began = true;
          return 0;
        }),
      { ...LIMITS, creationTimeoutMs: 5_000 },
    );
    const call = httpsRequest({
      host: '127.0.0.1',
      port: server.port,
      ca: authority.certificate,
      method: 'POST',
      headers: {
        connection: 'Upgrade',
        upgrade: 'SPDY/3.1',
        'x-stream-protocol-version': 'v4.channel.k8s.io',
        'content-length': '0',
      },
    });
    call.end();
    const [response, socket] = (await once(call, 'upgrade')) as [IncomingMessage, PassThrough];
    expect(response.statusCode).toBe(101);
    let isClosed = false;
    socket
      .on('error', () => undefined)
      .on('close', () => {
        isClosed = true;
      });
    socket.resume();
    await clock.advance(4_900);
    expect(isClosed).toBe(false);
    await clock.advance(200);
    await eventually(() => isClosed);
    expect(began).toBe(false);
  });

  it('are told that the server closes, and written down', async () => {
    const { server, audit } = await start(async () => upgradeTo(forever));
    const client = await clients.open(server);
    const closing = server.close(10_000);
    await client.closed;
    await closing;
    expect(JSON.parse(client.channel(STATUS))).toMatchObject({ message: 'the server is closing' });
    expect(audit()).toMatchObject([{ result: 'cut: the server is closing' }]);
  });

  it('A-02 go on when the certificate is renewed', async () => {
    const { server } = await start(async () =>
      upgradeTo(async ({ stdin, stdout }) => {
        for await (const chunk of stdin ?? new PassThrough()) stdout?.write(chunk);
        return 0;
      }),
    );
    const client = await clients.open(server);
    const renewed = await authority.issue({ subject: 'CN=renewed', usage: 'server' });
    server.renew({ ...renewed, clientCertificateAuthority: authority.certificate });
    client.socket.send(Buffer.from('\0still here'));
    await eventually(() => client.channel(1) === 'still here');
    client.socket.send(Buffer.of(255, 0));
    await client.closed;
    expect(JSON.parse(client.channel(STATUS))).toMatchObject({ status: 'Success' });
  });

  it('are refused as any request, the connection ending with that', async () => {
    const body = '{"kind":"Status"}';
    const { server } = await start(async () => ({
      status: 501,
      headers: { 'content-type': 'application/json' },
      body,
    }));
    expect(await clients.refused(server)).toEqual({ status: 501, body });
  });

  it('are turned away where there are too many', async () => {
    const { server } = await start(async () => upgradeTo(forever), LIMITS, 1);
    const first = await clients.open(server);
    const answer = await clients.refused(server);
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.body)).toMatchObject({ kind: 'Status', reason: 'ServiceUnavailable' });
    first.socket.terminate();
    await expect.poll(async () => (await clients.refused(server)).status, { timeout: 10_000 }).toBe(400);
  });

  it('say nothing of a fault of ours', async () => {
    const { server, logger } = await start(async () => {
      throw new Error('secret detail');
    });
    expect(await clients.refused(server)).toEqual({ status: 500, body: 'internal error' });
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'request failed' }]);
  });

  it('survive clients that break off at any moment', async () => {
    const { server, audit } = await start(async () => upgradeTo(async () => 0));
    for (let round = 0; round < 20; round += 1) {
      const socket = new WebSocket(`wss://127.0.0.1:${server.port}/`, 'v5.channel.k8s.io', {
        ca: authority.certificate,
      });
      socket.on('error', () => undefined);
      await new Promise((resolve) => setTimeout(resolve, round));
      socket.terminate();
    }
    const client = await clients.open(server);
    await client.closed;
    await eventually(() => audit().some((fields) => fields?.['result'] === 'exit 0'));
  });
});

const forever = (_streams: unknown, signal: AbortSignal): Promise<number> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('over')), { once: true }));
