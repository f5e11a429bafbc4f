import { createHash, randomFillSync } from 'node:crypto';
import http from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { PermanentError } from '../../../../src/core/errors.ts';
import type { DialPort } from '../../../../src/streaming/session.ts';
import { eventually } from '../../../support/streaming/wait.ts';
import { FORWARD_TRANSPORTS } from './forward-client.ts';
import { echo, ForwardWorld, type Target } from './forward-world.ts';

const MEBIBYTE = 1_048_576;
const digest = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

describe.each(FORWARD_TRANSPORTS)('a port-forward over $name', ({ transport, protocol, connect }) => {
  let world: ForwardWorld | undefined;
  const start = async (targets: Readonly<Record<number, Target>>, dial?: DialPort) => {
    world = await ForwardWorld.start(targets, dial);
    const client = await connect(world.port);
    return { world, client, session: await world.session() };
  };
  afterEach(() => world?.stop());

  it('carries connections both ways', async () => {
    const { client, session } = await start({ 7: echo });
    const connection = await client.connect(7);
    connection.send('hello');
    await eventually(() => connection.received().length === 5);
    connection.send(' again', true);
    await eventually(() => connection.events.includes('fin error'));
    expect(connection.received().toString()).toBe('hello again');
    expect(connection.errorText()).toBe('');
    expect(connection.events).toContain('fin data');
    expect(session.figures()).toEqual({ transport, protocol, bytesIn: 11, bytesOut: 11 });
  });

  it('keeps the other half open when the client has ended its own', async () => {
    const digestOf: Target = (socket) => {
      const parts: Buffer[] = [];
      socket.on('data', (part: Buffer) => parts.push(part));
      socket.on('end', () => socket.end(digest(Buffer.concat(parts))));
    };
    const { client } = await start({ 7: digestOf });
    const connection = await client.connect(7);
    const bytes = randomFillSync(Buffer.alloc(9 * MEBIBYTE));
    connection.send(bytes.subarray(0, 5 * MEBIBYTE));
    connection.send(bytes.subarray(5 * MEBIBYTE), true);
    await eventually(() => connection.events.includes('fin data'));
    expect(connection.received().toString()).toBe(digest(bytes));
  });

  it('keeps the other half open when the target has ended its own, and ends the error stream then', async () => {
    const taken: Buffer[] = [];
    const greet: Target = (socket) => {
      socket.end('hello and no more');
      socket.on('data', (part: Buffer) => taken.push(part));
    };
    const { world, client } = await start({ 7: greet });
    const connection = await client.connect(7);
    await eventually(() => connection.events.includes('fin error'));
    expect(connection.events).toContain('fin data');
    connection.send('still listening?');
    await eventually(() => taken.length > 0);
    expect(Buffer.concat(taken).toString()).toBe('still listening?');
    connection.send('', true);
    await eventually(() => world.targetSockets.size === 0);
  });

  it('pairs the streams of old clients, which name no request', async () => {
    const { client } = await start({ 7: echo, 8: (socket) => void socket.end('eight') });
    const [seven, eight] = [await client.connect(7, { isOld: true }), await client.connect(8, { isOld: true })];
    seven.send('seven', true);
    await eventually(() => seven.events.includes('fin data') && eight.events.includes('fin data'));
    expect(seven.received().toString()).toBe('seven');
    expect(eight.received().toString()).toBe('eight');
  });

  it('resets a connection that nobody answers, and goes on', async () => {
    const { world, client, session } = await start({ 7: echo });
    const refused = await client.connect(9);
    await eventually(() => refused.events.includes('reset data 5') && refused.events.includes('fin error'));
    expect(refused.errorText()).toBe('');
    expect(world.refused).toEqual([9]);
    const other = await client.connect(7);
    other.send('on it goes', true);
    await eventually(() => other.events.includes('fin data'));
    expect(other.received().toString()).toBe('on it goes');
    expect(session.signal.aborted).toBe(false);
  });

  it('tells any other failure on the error stream', async () => {
    const { world, client } = await start({}, () => Promise.reject(new PermanentError('the pod is gone')));
    const connection = await client.connect(80);
    await eventually(() => connection.events.includes('fin error'));
    expect(connection.errorText()).toBe('error forwarding port 80 to pod: the pod is gone');
    expect(world.refused).toEqual([]);
  });

  it('resets a connection whose target breaks', async () => {
    const sockets: Socket[] = [];
    const { client } = await start({ 7: (socket) => void sockets.push(socket) });
    const connection = await client.connect(7);
    connection.send('x');
    await eventually(() => sockets.length === 1);
    sockets[0]?.resetAndDestroy();
    await eventually(() => connection.events.includes('reset data 5') && connection.events.includes('fin error'));
  });

  it('drops the target when the client resets the connection', async () => {
    const { world, client } = await start({ 7: echo });
    const connection = await client.connect(7);
    connection.send('x');
    await eventually(() => connection.received().length === 1);
    connection.reset();
    await eventually(() => world.targetSockets.size === 0);
  });

  it('gives up dialling when the client does', async () => {
    let signal: AbortSignal | undefined;
    const { client } = await start({}, (_, given) => {
      signal = given;
      return new Promise((_resolve, reject) => {
        given.addEventListener('abort', () => reject(given.reason as Error));
      });
    });
    const connection = await client.connect(80);
    await eventually(() => signal !== undefined);
    connection.reset();
    await eventually(() => signal?.aborted === true);
    await eventually(() => connection.events.includes('fin error'));
    expect(connection.errorText()).toBe('');
  });

  it('goes on where it was held back while it dialled', async () => {
    const target = Promise.withResolvers<Duplex>();
    const { client, session } = await start({}, () => target.promise);
    const connection = await client.connect(80);
    for (let sent = 0; sent < 12; sent += 1) connection.send(Buffer.alloc(MEBIBYTE));
    connection.send('', true);
    await eventually(() => session.figures().bytesIn >= 0.9 * MEBIBYTE);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(session.figures().bytesIn).toBeLessThan(3 * MEBIBYTE);
    const [near, far] = duplexPair();
    let taken = 0;
    far.on('data', (part: Buffer) => {
      taken += part.length;
    });
    target.resolve(near);
    await eventually(() => far.readableEnded);
    expect(taken).toBe(12 * MEBIBYTE);
  });

  it.each([
    { what: 'no port', headers: { streamtype: 'data', requestid: '1' } },
    { what: 'port 0', headers: { streamtype: 'data', requestid: '1', port: '0' } },
    { what: 'port 65536', headers: { streamtype: 'data', requestid: '1', port: '65536' } },
    { what: 'port 80x', headers: { streamtype: 'data', requestid: '1', port: '80x' } },
    { what: 'another type', headers: { streamtype: 'stdin', requestid: '1', port: '80' } },
  ])('refuses a stream of $what', async ({ headers }) => {
    const { world, client } = await start({});
    await client.openStream(headers);
    await eventually(() => client.events.length === 1);
    expect(client.events).toEqual([`reset ${headers.streamtype} 3`]);
    expect(world.dialled).toEqual([]);
  });

  it('refuses a second stream of the same half', async () => {
    const { client } = await start({});
    await client.openStream({ streamtype: 'error', requestid: '1', port: '80' });
    await client.openStream({ streamtype: 'error', requestid: '1', port: '80' });
    await eventually(() => client.events.length === 2);
    expect(client.events).toEqual(['reply error', 'reset error 3']);
  });

  it.each([
    { half: 'error', events: ['reply error', 'fin error'] },
    { half: 'data', events: ['reply data', 'reset data 5'] },
  ])('refuses a lone $half stream after half a minute', async ({ half, events }) => {
    const { world, client } = await start({ 80: echo });
    await client.openStream({ streamtype: half, requestid: '1', port: '80' });
    await eventually(() => client.events.length === 1);
    await world.clock.advance(30_000);
    await eventually(() => client.events.some((words) => words === events[1]));
    expect(client.events.filter((words) => !words.startsWith('ping'))).toEqual(events);
    // The request's number may be used anew.
    await client.connect(80);
  });

  it('forgets a lone stream that is given up: its request may come again', async () => {
    const { client } = await start({ 80: echo });
    client.resetStream(await client.openStream({ streamtype: 'error', requestid: '1', port: '80' }));
    const connection = await client.connect(80);
    connection.send('hello', true);
    await eventually(() => connection.events.includes('fin data'));
    expect(connection.received().toString()).toBe('hello');
  });

  it('carries fifty connections at a time', async () => {
    const server = http.createServer((request, response) => response.end(`hi ${request.url}`));
    const { client } = await start({ 80: (socket) => void server.emit('connection', socket) });
    const connections = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const connection = await client.connect(80);
        connection.send(`GET /${index} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
        return connection;
      }),
    );
    await eventually(() => connections.every(({ events }) => events.includes('fin data')));
    expect(connections.map(({ received }) => received().toString().split('\r\n\r\n')[1])).toEqual(
      Array.from({ length: 50 }, (_, index) => `hi /${index}`),
    );
  });

  it('holds a target back whose client does not read', async () => {
    let written = 0;
    const flood: Target = (socket) => {
      const chunk = Buffer.alloc(65_536);
      const write = (): void => {
        while (written < 96 * MEBIBYTE && socket.write(chunk)) written += chunk.length;
      };
      socket.on('drain', write);
      write();
    };
    const { client } = await start({ 7: flood });
    await client.connect(7);
    client.socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(written).toBeLessThan(48 * MEBIBYTE);
    client.socket.resume();
    await eventually(() => written >= 96 * MEBIBYTE);
  });

  it('holds a client back whose target does not read', async () => {
    const { client, session } = await start({ 7: (socket) => void socket.pause() });
    const connection = await client.connect(7);
    for (let sent = 0; sent < 64; sent += 1) connection.send(Buffer.alloc(MEBIBYTE));
    await eventually(() => session.figures().bytesIn > MEBIBYTE);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(session.figures().bytesIn).toBeLessThan(40 * MEBIBYTE);
  });

  it('ends with its client', async () => {
    const { world, client, session } = await start({ 7: echo });
    await client.connect(7);
    await eventually(() => world.targetSockets.size === 1);
    client.socket.destroy();
    await session.ended;
    expect((session.signal.reason as Error).message).toBe('the client has gone');
    await eventually(() => world.targetSockets.size === 0);
  });

  it.each([
    { how: 'when it is closed', reason: 'it was closed' },
    { how: 'with the server', reason: 'the server is closing' },
    { how: 'when it carries nothing for four hours', reason: 'nothing was sent or received for 14400 s' },
  ])('ends $how', async ({ reason }) => {
    const { world, client, session } = await start({ 7: echo });
    await client.connect(7);
    if (reason === 'it was closed') session.close();
    else if (reason === 'the server is closing') world.closing.abort();
    else await world.clock.advance(14_400_000);
    await session.ended;
    expect((session.signal.reason as Error).message).toBe(reason);
    // Its client sees the end.
    await eventually(() => client.socket.readableEnded);
    client.socket.destroy();
    await eventually(() => world.targetSockets.size === 0);
  });
});
