import { once } from 'node:events';
import { connect } from 'node:tls';
import { selfSigned } from '../../../src/adapters/tls/self-signed.ts';
import { type KubeletServer, startKubeletServer } from '../../../src/server/kubelet-server.ts';
import { KubeletWorld } from '../../unit/kubelet/kubelet-world.ts';
import type { FuzzTarget } from '../fuzz.ts';
import type { Conversation } from '../mutate.ts';

const request = (method: string, path: string, headers: readonly string[] = [], body = ''): Buffer =>
  Buffer.from([`${method} ${path} HTTP/1.1`, 'Host: 10.0.0.7:10250', ...headers, '', body].join('\r\n'));

const SPDY = ['Connection: Upgrade', 'Upgrade: SPDY/3.1', 'X-Stream-Protocol-Version: v4.channel.k8s.io'];
const WEBSOCKET = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol: v5.channel.k8s.io',
];

/** Requests one after the other on a connection, as clients of a kubelet send them. */
const CORPUS: readonly Conversation[] = [
  [
    request('GET', '/healthz'),
    request('GET', '/pods', ['Accept: application/json']),
    request('GET', '/runningpods/'),
    request('GET', '/stats/summary'),
    request('GET', '/metrics/resource'),
    request('GET', '/configz'),
  ],
  [
    request('GET', '/containerLogs/default/web/app?tailLines=3&timestamps=true&sinceTime=2030-01-01T00%3A00%3A00Z'),
    request('GET', '/containerLogs/default/web/app?limitBytes=10&previous=true&stream=Stdout'),
    request('GET', '/containerLogs/default/web/other'),
  ],
  [request('POST', '/exec/default/web/app?command=ls&command=%2Fbin&output=1', [...SPDY, 'Content-Length: 0'])],
  [request('GET', '/exec/default/web/app?command=sh&input=1&output=1&tty=1', WEBSOCKET)],
  [request('POST', '/portForward/default/web', [...SPDY.slice(0, 2), 'X-Stream-Protocol-Version: portforward.k8s.io'])],
  [
    request('POST', '/run/default/web/app?cmd=ls', ['Content-Length: 5'], 'hello'),
    request('POST', '/run/default/web/app', ['Transfer-Encoding: chunked'], '5\r\nhello\r\n0\r\n\r\n'),
  ],
  [request('GET', '/pods', ['Authorization: Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln', 'X-Forwarded-For: 192.0.2.9'])],
];

interface Served {
  readonly server: KubeletServer;
  readonly world: KubeletWorld;
}

const serve = async (): Promise<Served> => {
  // Nobody is turned away: what lies behind the gate is to be reached too.
  const world = new KubeletWorld({ insecureAllowAnonymous: true });
  world.teach({ exec: async () => 0, connect: () => Promise.reject(new Error('no port is open')) });
  await world.run(world.addPod('web'));
  const { clock, logger, upgrading: handler } = world;
  const certificates = selfSigned({ commonName: 'vk-a', names: ['127.0.0.1'], now: Date.now() });
  return {
    world,
    server: await startKubeletServer({ host: '127.0.0.1', port: 0, certificates, handler, clock, logger }),
  };
};

/** The HTTPS server with the whole kubelet API behind it, on sockets. */
export const httpTarget = (): FuzzTarget => {
  let served: Promise<Served> | undefined;
  return {
    name: 'http',
    corpus: CORPUS,
    run: async (pieces) => {
      const { server, world } = await (served ??= serve());
      // The provider has limits by the minute.
      await world.clock.advance(60_000);
      const socket = connect({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false });
      const answers: Buffer[] = [];
      socket.on('data', (part: Buffer) => answers.push(part));
      // A server may cut whoever makes no sense.
      socket.on('error', () => undefined);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      await Promise.race([once(socket, 'secureConnect'), closed]);
      for (const piece of pieces) socket.write(piece);
      await quiet(answers);
      socket.destroy();
      await closed;
      if (/^HTTP\/1\.1 500/m.test(Buffer.concat(answers).toString('latin1'))) throw new Error('a fault of our own');
      const fault = world.logger.lines.find(({ level }) => level === 'error');
      if (fault) throw new Error(`logged: ${fault.message}`, { cause: fault.fields?.['error'] });
      world.logger.lines.length = 0;
    },
    close: async () => (await served)?.server.close(0),
  };
};

const QUIET_MS = 3;

/** Until nothing more has come for a moment. */
const quiet = async (answers: readonly Buffer[]): Promise<void> => {
  for (let before = -1; before !== answers.length; ) {
    before = answers.length;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
};
