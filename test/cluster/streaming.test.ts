import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { startKubectl } from '../support/kubectl-process.ts';
import { type StreamingNode, StreamingWorld } from '../support/streaming/streaming-world.ts';
import { commandTests } from './streaming/commands.ts';
import { portForwardTests } from './streaming/port-forward.ts';
import { terminalTests } from './streaming/terminals.ts';
import type { Way } from './streaming/way.ts';

let world: StreamingWorld;
let declaring: StreamingNode;
let silent: StreamingNode;

beforeAll(async () => {
  world = await StreamingWorld.start();
  [declaring, silent] = await Promise.all([
    world.addNode('declaring'),
    world.addNode('silent', { 'extend-websockets': 'false' }),
  ]);
  for (const node of [declaring, silent]) await world.addPod(node, `box-${node.name}`);
});
afterAll(async () => {
  await world?.stop();
});

it('X-01 declares to an API server since 1.36 that it takes WebSockets, unless told not to', async () => {
  expect((await world.node('declaring')).status?.declaredFeatures).toEqual(['ExtendWebSocketsToKubelet']);
  expect((await world.node('silent')).status?.declaredFeatures).toBeUndefined();
});

const WEBSOCKET = {
  command: { transport: 'websocket', protocol: 'v5.channel.k8s.io' },
  forward: { transport: 'websocket', protocol: 'SPDY/3.1+portforward.k8s.io' },
};
const SPDY = {
  command: { transport: 'spdy', protocol: 'v4.channel.k8s.io' },
  forward: { transport: 'spdy', protocol: 'portforward.k8s.io' },
};
const WAYS: readonly Way[] = [
  { client: 'websocket', nodeName: 'declaring', node: () => declaring, ...WEBSOCKET },
  { client: 'spdy', nodeName: 'declaring', node: () => declaring, ...SPDY },
  { client: 'websocket', nodeName: 'silent', node: () => silent, ...SPDY },
  { client: 'spdy', nodeName: 'silent', node: () => silent, ...SPDY },
];

describe.each(WAYS)('kubectl by $client to a node that is $nodeName', (way) => {
  commandTests(() => world, way);
  portForwardTests(() => world, way);
  terminalTests(() => world, way);
});

it('A-04 writes down the program, and no other argument', async () => {
  const log = await readFile(declaring.svk.log, 'utf8');
  expect(log).toContain('no-such-program-1');
  expect(log).not.toContain('topsecret');
});

it('X-11 ends sessions in which nothing happens or that never begin, and tells its clients when it closes', async () => {
  const node = await world.addNode('closing', { 'stream-idle-timeout': '3s', 'stream-creation-timeout': '2s' });
  await world.addPod(node, 'box-closing');
  const idle = await world.kubectl(['exec', 'box-closing', '--', 'sh', '-c', 'sleep 300; true']);
  expect([idle.code, idle.stderr]).toEqual([1, expect.stringContaining('nothing was sent or received for 3 s')]);
  expect(await node.sessions.next()).toMatchObject([{ result: 'cut: nothing was sent or received for 3 s' }]);

  const began = Date.now();
  await openNoStreams('/exec/default/box-closing/app?command=true&output=1');
  // Of 30 s where the flag had no effect.
  expect(Date.now() - began).toBeLessThan(20_000);

  const running = startKubectl(['exec', 'box-closing', '--', 'sh', '-c', 'while :; do echo .; sleep 0.2; done'], {
    kubeconfig: world.plane.kubeconfig,
  });
  const [stderr, exited] = [text(running.stderr), once(running, 'exit')];
  await once(running.stdout, 'data');
  running.stdout.resume();
  await node.svk.stop();
  expect(await stderr).toContain('the server is closing');
  expect(await exited).toEqual([1, null]);
  expect(await node.sessions.next()).toMatchObject([{ result: 'cut: the server is closing' }]);
});

/** Asks the node for SPDY and then says nothing; resolves when that is hung up on. */
const openNoStreams = async (url: string): Promise<void> => {
  const { clientCertificate, clientKey } = await credentialsFromKubeconfig(world.plane.kubeconfig);
  const request = httpsRequest({
    host: '127.0.0.1',
    port: (await world.node('closing')).status?.daemonEndpoints?.kubeletEndpoint?.Port,
    path: url,
    method: 'POST',
    headers: {
      connection: 'Upgrade',
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': 'v4.channel.k8s.io',
      'content-length': '0',
    },
    cert: clientCertificate,
    key: clientKey,
    rejectUnauthorized: false,
    agent: false,
  });
  request.end();
  const [response, socket] = (await once(request, 'upgrade')) as [IncomingMessage, Socket];
  expect(response.statusCode).toBe(101);
  socket.on('error', () => undefined).resume();
  await once(socket, 'close');
};
