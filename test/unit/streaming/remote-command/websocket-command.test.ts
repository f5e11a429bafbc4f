import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { acceptRemoteCommand } from '../../../../src/streaming/remote-command.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { readHead } from '../../../support/streaming/http-head.ts';
import { upgradeInMemory, webSocketHeaders } from '../../../support/streaming/upgrade-in-memory.ts';
import { eventually } from '../../../support/streaming/wait.ts';
import { maskedFrame, OPCODES, upgradeToWebSocket } from '../../../support/streaming/websocket-socket.ts';
import { CommandWorld } from './command-world.ts';
import { connectWebSocket } from './websocket-command-client.ts';

const KIBIBYTE = 1_024;
const MEBIBYTE = 1_048_576;

let world: CommandWorld | undefined;
const start = async (...options: Parameters<typeof CommandWorld.start>): Promise<CommandWorld> => {
  world = await CommandWorld.start(...options);
  return world;
};
afterEach(() => world?.stop());

/** A handshake by hand. */
const ask = async (port: number, ...lines: readonly string[]) => {
  const socket = net.connect(port, '127.0.0.1');
  const head = ['GET /exec HTTP/1.1', 'Host: x', 'Connection: keep-alive, Upgrade', 'Upgrade: WebSocket', ...lines];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return readHead(socket);
};
const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
const VERSION = 'Sec-WebSocket-Version: 13';

describe('choosing a protocol of a command over WebSocket', () => {
  it.each([
    { offered: 'v5.channel.k8s.io', chosen: 'v5.channel.k8s.io' },
    { offered: 'v9.channel.k8s.io, v4.channel.k8s.io, channel.k8s.io', chosen: 'v4.channel.k8s.io' },
    {
      offered: 'base64url.bearer.authorization.k8s.io.dG9rZW4, base64.channel.k8s.io',
      chosen: 'base64.channel.k8s.io',
    },
  ])('takes $chosen of $offered', async ({ offered, chosen }) => {
    const { port } = await start();
    const head = await ask(port, KEY, VERSION, `Sec-WebSocket-Protocol: ${offered}`);
    expect(head.status).toBe(101);
    expect(head.lines).toContain(`Sec-WebSocket-Protocol: ${chosen}`);
    expect(head.lines).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
  });

  it('names none to a client that named none', async () => {
    const { port } = await start();
    const head = await ask(port, KEY, VERSION);
    expect(head.status).toBe(101);
    expect(head.lines.join('\n')).not.toContain('Protocol');
    expect((await world?.session())?.figures().protocol).toBe('channel.k8s.io');
  });

  it('refuses a client that speaks none of ours, and says which they are', async () => {
    const { port } = await start();
    const head = await ask(port, KEY, VERSION, 'Sec-WebSocket-Protocol: v3.channel.k8s.io');
    expect(head.status).toBe(403);
    expect(head.lines).toContain('X-Accepted-Stream-Protocol-Versions: v5.channel.k8s.io');
    expect(await world?.next()).toBeUndefined();
  });

  it('repeats no token to a client whose protocols it refuses', async () => {
    const { port } = await start();
    const offered = 'base64url.bearer.authorization.k8s.io.dG9rZW4, v3.channel.k8s.io';
    const head = await ask(port, KEY, VERSION, `Sec-WebSocket-Protocol: ${offered}`);
    expect(head.status).toBe(403);
    expect(head.rest.toString()).toContain('the client speaks [v3.channel.k8s.io]');
  });

  it.each([
    { what: 'without a key', lines: [VERSION], reason: 'Missing or invalid Sec-WebSocket-Key header' },
    {
      what: 'of another version',
      lines: [KEY, 'Sec-WebSocket-Version: 7'],
      reason: 'Missing or invalid Sec-WebSocket-Version header',
    },
  ])('refuses a handshake $what', async ({ lines, reason }) => {
    const { port } = await start();
    const head = await ask(port, ...lines);
    expect(head.status).toBe(400);
    expect(head.rest.toString()).toBe(`unable to upgrade: ${reason}`);
    expect(await world?.next()).toBeUndefined();
  });
});

describe('a command over WebSocket', () => {
  it.each([
    { protocol: 'v5.channel.k8s.io', ends: '{"metadata":{},"status":"Success"}' },
    { protocol: 'v4.channel.k8s.io', ends: '{"metadata":{},"status":"Success"}' },
    { protocol: 'v4.base64.channel.k8s.io', ends: '{"metadata":{},"status":"Success"}' },
    { protocol: 'channel.k8s.io', ends: '' },
    { protocol: 'base64.channel.k8s.io', ends: '' },
    { protocol: '', ends: '' },
  ])('speaks "$protocol"', async ({ protocol, ends }) => {
    const { port } = await start();
    const client = await connectWebSocket(port, protocol);
    const session = await world?.session();
    session?.stdin?.pipe(session.stdout ?? process.stdout, { end: false });
    client.write('stdin', 'über\0\xff');
    await eventually(() => client.output.lengthOf('stdout') === 8);
    expect(client.output.stdout.toString()).toBe('über\0\xff');
    void session?.finish({ exitCode: 0 });
    await eventually(client.isGone);
    expect(client.closeCode()).toBe(1_000);
    expect(client.output.error.toString()).toBe(ends);
    expect(client.messages).not.toContain('a message of the wrong kind');
  });

  it.each([
    { options: {}, mark: '1:0' },
    { options: { stdout: false }, mark: '2:0' },
    { options: { stdout: false, stderr: false }, mark: '3:0' },
  ])('begins with an empty message on the first channel it may write: $mark', async ({ options, mark }) => {
    const { port } = await start(options);
    const client = await connectWebSocket(port);
    await eventually(() => client.messages.length > 0);
    expect(client.messages).toEqual([mark]);
  });

  it('tells the result in plain text before version 4', async () => {
    const { port } = await start();
    const client = await connectWebSocket(port, 'channel.k8s.io');
    void (await world?.session())?.finish({ exitCode: 3 });
    await eventually(client.isGone);
    expect(client.output.error.toString()).toBe('command terminated with non-zero exit code: exit status 3');
  });

  it('takes text for what was meant as bytes, as the Python client sends', async () => {
    const { port } = await start();
    const client = await connectWebSocket(port, 'v4.channel.k8s.io');
    const session = await world?.session();
    const input: Buffer[] = [];
    session?.stdin?.on('data', (part: Buffer) => input.push(part));
    client.ws.send('\0ls\n');
    client.ws.send(Buffer.from([0, 0xff, 0xfe]), { binary: false });
    await eventually(() => input.length === 2);
    expect(Buffer.concat(input).toString('hex')).toBe('6c730afffe');
  });

  it.each([40 * KIBIBYTE, 200 * KIBIBYTE, 20 * MEBIBYTE])('takes a message of %d bytes (X-11)', async (length) => {
    const { port } = await start();
    const client = await connectWebSocket(port);
    const session = await world?.session();
    let taken = 0;
    session?.stdin?.on('data', (part: Buffer) => {
      taken += part.length;
    });
    client.write('stdin', Buffer.alloc(length));
    await eventually(() => taken === length);
  });

  it('sends no message longer than clients are used to', async () => {
    const { port } = await start();
    const client = await connectWebSocket(port);
    (await world?.session())?.stdout?.write(Buffer.alloc(100 * KIBIBYTE));
    await eventually(() => client.output.lengthOf('stdout') === 100 * KIBIBYTE);
    expect(client.messages).toEqual(['1:0', '1:32768', '1:32768', '1:32768', '1:4096']);
  });

  it('knows no half-close before version 5', async () => {
    const { port } = await start();
    const client = await connectWebSocket(port, 'v4.channel.k8s.io');
    const session = await world?.session();
    client.endInput();
    client.write('stdin', 'goes on');
    await eventually(() => session?.figures().bytesIn === 7);
    expect(session?.stdin?.readableEnded).toBe(false);
    expect(String(session?.stdin?.read())).toBe('goes on');
  });

  it('drops what comes on channels that are not the client’s', async () => {
    const { port } = await start({ stdin: false });
    const client = await connectWebSocket(port);
    const session = await world?.session();
    for (const channel of [0, 1, 2, 3, 4, 5, 200, 255]) client.ws.send(Buffer.from([channel, 1, 2]));
    client.ws.send(Buffer.alloc(0));
    client.ws.send(Buffer.from([255, 99]));
    client.ws.ping();
    await once(client.ws, 'pong');
    expect(session?.signal.aborted).toBe(false);
  });

  it('answers pings', async () => {
    const { port } = await start();
    const client = await connectWebSocket(port);
    client.ws.ping('are you there');
    const [answer] = (await once(client.ws, 'pong')) as [Buffer];
    expect(answer.toString()).toBe('are you there');
  });

  it('reads on only as fast as its answers to pings are read', async () => {
    const { client, upgrade } = upgradeInMemory({ method: 'GET', headers: webSocketHeaders('v5.channel.k8s.io') });
    const options = { stdin: true, stdout: true, stderr: true, tty: false };
    const deps = { clock: new FakeClock(), closing: new AbortController().signal };
    const session = await acceptRemoteCommand(upgrade, options, { idleTimeoutMs: 0, creationTimeoutMs: 0 }, deps);
    const pings = Buffer.concat(Array.from({ length: 500 }, () => maskedFrame(Buffer.alloc(125), OPCODES.ping)));
    let taken = 0;
    const send = (): void => void client.write(pings, () => (taken += 1));
    for (let sent = 0; sent < 100; sent += 1) send();
    for (let round = 0; round < 500; round += 1) await new Promise((resolve) => setImmediate(resolve));
    // A mebibyte of answers, and what the two ends of the socket hold.
    expect(taken).toBeGreaterThan(10);
    expect(taken).toBeLessThan(24);
    expect(session?.signal.aborted).toBe(false);
    client.resume();
    await eventually(() => taken === 100);
    client.destroy();
    upgrade.socket.destroy();
  });

  it('counts what a message costs beside its bytes', async () => {
    const { port } = await start();
    const client = await connectWebSocket(port);
    const session = await world?.session();
    for (let sent = 0; sent < 60_000; sent += 1) client.write('stdin', 'x');
    await eventually(() => (session?.figures().bytesIn ?? 0) > 16_000);
    await new Promise((resolve) => setTimeout(resolve, 200));
    // The rest waits in the sockets' buffers.
    expect(session?.figures().bytesIn).toBeLessThan(30_000);
  });

  it('pings a silent client, and sends pongs while it does not read its pings', async () => {
    const { port, clock } = await start();
    const client = await connectWebSocket(port);
    const session = await world?.session();
    let [pings, pongs] = [0, 0];
    client.ws.on('ping', () => (pings += 1));
    client.ws.on('pong', () => (pongs += 1));
    await clock.advance(30_000);
    await eventually(() => pings === 3);
    expect(pongs).toBe(0);
    for (let sent = 0; sent < 8; sent += 1) client.write('stdin', Buffer.alloc(MEBIBYTE));
    await eventually(() => (session?.figures().bytesIn ?? 0) >= 4 * MEBIBYTE);
    await clock.advance(30_000);
    await eventually(() => pongs === 3);
  });

  it('ends when the client breaks the protocol', async () => {
    const { port, clock } = await start();
    const socket = net.connect(port, '127.0.0.1');
    const head = ['GET /exec HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', KEY, VERSION];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await readHead(socket);
    const session = await world?.session();
    // A frame that is not masked.
    socket.write(Buffer.from([0x82, 0x01, 0x00]));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await clock.advance(6_000);
    await eventually(() => session?.signal.aborted === true);
    expect(session?.signal.reason).toMatchObject({ cause: { message: expect.stringContaining('MASK must be set') } });
  });

  it('fails writers as soon as the client has said goodbye, though it does not hang up', async () => {
    const { port } = await start();
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const { rest } = await upgradeToWebSocket(socket, '/exec', 'v5.channel.k8s.io');
    expect(rest.length).toBeLessThan(4);
    const session = await world?.session();
    socket.write(maskedFrame(Buffer.from([0x03, 0xe8]), OPCODES.close));
    await eventually(() => {
      session?.stdout?.write('anybody there?');
      return session?.stdout?.destroyed === true;
    });
    socket.destroy();
    await eventually(() => session?.signal.aborted === true);
  });

  it('ends when a message is longer than any', async () => {
    const { port } = await start();
    const client = await connectWebSocket(port);
    const session = await world?.session();
    client.ws.send(Buffer.alloc(33 * MEBIBYTE));
    await eventually(() => session?.signal.aborted === true);
    expect(client.closeCode()).toBe(1_009);
    expect(client.ws.readyState).toBe(WebSocket.CLOSED);
  });
});
