import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../../support/streaming/wait.ts';
import { upgradeToWebSocket } from '../../../support/streaming/websocket-socket.ts';
import { echo, ForwardWorld } from './forward-world.ts';

let world: ForwardWorld | undefined;
afterEach(() => world?.stop());

const start = async (...options: Parameters<typeof ForwardWorld.start>): Promise<ForwardWorld> => {
  world = await ForwardWorld.start(...options);
  return world;
};

/** What came, channel by channel, in hexadecimal digits. */
const connect = async (port: number, query: string, protocol: string) => {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/portForward/ns/pod?${query}`, protocol === '' ? [] : [protocol]);
  const channels: Record<string, string> = {};
  let closeCode: number | undefined;
  ws.on('error', () => undefined);
  ws.on('close', (code) => {
    closeCode = code;
  });
  ws.on('message', (data: Buffer, isBinary) => {
    const channel = isBinary ? String(data[0]) : data.toString('latin1', 0, 1);
    const payload = isBinary ? data.subarray(1) : Buffer.from(data.toString('latin1', 1), 'base64');
    channels[channel] = (channels[channel] ?? '') + payload.toString('hex');
  });
  await once(ws, 'open');
  return { ws, channels, closeCode: () => closeCode };
};

describe('the older port-forward over WebSocket', () => {
  it.each(['v4.channel.k8s.io', ''])('begins each channel with its port and carries bytes: "%s"', async (protocol) => {
    const { port } = await start({ 80: echo, 8_080: (socket) => void socket.end('bye') });
    const { ws, channels } = await connect(port, 'port=80,8080', protocol);
    expect(ws.protocol).toBe(protocol);
    ws.send(Buffer.from('\0hello'));
    await eventually(() => channels['0']?.length === 14 && channels['2']?.length === 10);
    expect(channels).toEqual({ 0: '500068656c6c6f', 1: '5000', 2: '901f627965', 3: '901f' });
    expect((await world?.session())?.figures()).toEqual({
      transport: 'websocket',
      protocol: 'v4.channel.k8s.io',
      bytesIn: 5,
      bytesOut: 8,
    });
  });

  it('speaks base64, with channels beyond nine as the digits after 9', async () => {
    const ports = [1, 2, 3, 4, 5, 80];
    const { port } = await start({ 80: echo });
    const { ws, channels } = await connect(
      port,
      ports.map((own) => `port=${own}`).join('&'),
      'v4.base64.channel.k8s.io',
    );
    ws.send(`:${Buffer.from('hi').toString('base64')}`);
    await eventually(() => channels[':']?.length === 8);
    expect(channels[':']).toBe('50006869');
    expect(
      Buffer.from(channels['1'] ?? '', 'hex')
        .subarray(2)
        .toString(),
    ).toBe('error forwarding port 1 to pod: connect ECONNREFUSED: port 1');
    expect(world?.refused).toEqual([1, 2, 3, 4, 5]);
  });

  it('closes when all connections are over', async () => {
    const { port } = await start({ 80: (socket) => void socket.end('done') });
    const { channels, closeCode } = await connect(port, 'port=80&port=81', 'v4.channel.k8s.io');
    await eventually(() => closeCode() !== undefined);
    expect(closeCode()).toBe(1_000);
    expect(channels['0']).toBe('5000646f6e65');
    await (await world?.session())?.ended;
  });

  it('drops the targets when its client goes', async () => {
    const { port } = await start({ 80: echo });
    const { ws } = await connect(port, 'port=80', 'v4.channel.k8s.io');
    await eventually(() => world?.targetSockets.size === 1);
    ws.terminate();
    await eventually(() => world?.targetSockets.size === 0);
  });

  it.each([
    { query: '', status: 400, text: 'query parameter "port" is required' },
    { query: 'port=', status: 400, text: 'query parameter "port": "" is no port' },
    { query: 'port=80&port=0', status: 400, text: 'query parameter "port": "0" is no port' },
    { query: 'port=80,http', status: 400, text: 'query parameter "port": "http" is no port' },
    {
      query: `port=${Array.from({ length: 128 }, () => '1').join(',')}`,
      status: 400,
      text: 'query parameter "port": 128 ports, at most 127',
    },
  ])('refuses "$query"', async ({ query, status, text }) => {
    const { port } = await start({});
    const socket = net.connect(port, '127.0.0.1');
    const head = await upgradeToWebSocket(socket, `/portForward/ns/pod?${query}`, 'v4.channel.k8s.io');
    expect([head.status, head.rest.toString()]).toEqual([status, text]);
    expect(await world?.next()).toBeUndefined();
  });

  it('refuses protocols it does not speak', async () => {
    const { port } = await start({});
    const socket = net.connect(port, '127.0.0.1');
    const head = await upgradeToWebSocket(socket, '/portForward/ns/pod?port=80', 'v5.channel.k8s.io');
    expect(head.status).toBe(403);
    expect(await world?.next()).toBeUndefined();
  });
});
