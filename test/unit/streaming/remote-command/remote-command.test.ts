import { randomFillSync } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { RemoteCommandSession } from '../../../../src/streaming/session.ts';
import { eventually } from '../../../support/streaming/wait.ts';
import { HOURS_4_MS } from './command-world.ts';
import { commandStarts, TRANSPORTS } from './transports.ts';

const inputEnd = (session: RemoteCommandSession): Promise<unknown> =>
  session.stdin === undefined ? Promise.reject(new Error('no stdin')) : once(session.stdin, 'end');

describe.each(TRANSPORTS)('a remote command over $name', ({ name, protocol, connect }) => {
  const start = commandStarts(connect);

  it('carries output apart and says that the command succeeded', async () => {
    const { client, session } = await start();
    session.stdout?.write('to out');
    session.stderr?.write('to err');
    const finished = session.finish({ exitCode: 0 });
    await eventually(client.hasEnded);
    expect(client.output.stdout.toString()).toBe('to out');
    expect(client.output.stderr.toString()).toBe('to err');
    expect(JSON.parse(client.output.error.toString())).toEqual({ metadata: {}, status: 'Success' });
    client.leave();
    await finished;
    expect(session.figures()).toEqual({
      transport: name.toLowerCase(),
      protocol,
      bytesIn: 0,
      bytesOut: 12,
    });
  });

  it.each([
    { exitCode: 1, shown: '1' },
    { exitCode: 137, shown: '137' },
    { exitCode: 255, shown: '255' },
    { exitCode: 256, shown: '255' },
    { exitCode: -1, shown: '255' },
    { exitCode: Number.NaN, shown: '255' },
  ])('tells exit code $exitCode as $shown', async ({ exitCode, shown }) => {
    const { client, session } = await start();
    void session.finish({ exitCode });
    await eventually(client.hasEnded);
    expect(JSON.parse(client.output.error.toString())).toEqual({
      metadata: {},
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: `command terminated with non-zero exit code: exit status ${shown}`,
      details: { causes: [{ reason: 'ExitCode', message: shown }] },
    });
  });

  it('tells why there is no exit code', async () => {
    const { client, session } = await start();
    void session.finish({ message: 'no such file: frobnicate' });
    await eventually(client.hasEnded);
    expect(JSON.parse(client.output.error.toString())).toEqual({
      metadata: {},
      status: 'Failure',
      reason: 'InternalError',
      code: 500,
      message: 'no such file: frobnicate',
    });
  });

  it('ends the input when the client does, and keeps the output open (X-05)', async () => {
    const { client, session } = await start();
    const input: Buffer[] = [];
    session.stdin?.on('data', (part: Buffer) => input.push(part));
    client.write('stdin', 'hello ');
    client.write('stdin', 'world');
    client.endInput();
    await inputEnd(session);
    expect(Buffer.concat(input).toString()).toBe('hello world');
    session.stdout?.write('still open');
    await eventually(() => client.output.stdout.length > 0);
    expect(client.output.stdout.toString()).toBe('still open');
    expect(session.figures()).toMatchObject({ bytesIn: 11, bytesOut: 10 });
  });

  it('carries bytes as they are', async () => {
    const { client, session } = await start();
    const bytes = randomFillSync(Buffer.alloc(300_001));
    const input: Buffer[] = [];
    session.stdin?.on('data', (part: Buffer) => input.push(part));
    client.write('stdin', bytes);
    client.endInput();
    session.stdout?.end(bytes);
    await inputEnd(session);
    await eventually(() => client.output.stdout.length === bytes.length);
    expect(Buffer.concat(input).equals(bytes)).toBe(true);
    expect(client.output.stdout.equals(bytes)).toBe(true);
  });

  it('tells the terminal’s sizes, one a line or one after the other', async () => {
    const { client, session } = await start({ tty: true });
    const sizes = session.sizes[Symbol.asyncIterator]();
    client.write('resize', '{"Width":101,"Height":31}\n');
    expect(await sizes.next()).toEqual({ done: false, value: { columns: 101, rows: 31 } });
    client.write('resize', '{"Width":133,');
    client.write('resize', '"Height":40}');
    expect(await sizes.next()).toEqual({ done: false, value: { columns: 133, rows: 40 } });
    client.write('resize', '{"Width":-1,"Height":40}\n{"Width":"x"}\n]}}{"Height":1,"Width":2}');
    expect(await sizes.next()).toEqual({ done: false, value: { columns: 2, rows: 1 } });
    client.vanish();
    expect(await sizes.next()).toEqual({ done: true, value: undefined });
  });

  it('offers no stderr to a terminal', async () => {
    const { session } = await start({ tty: true });
    expect(session.stderr).toBeUndefined();
  });

  it('aborts when the client goes', async () => {
    const { client, session } = await start();
    client.vanish();
    await eventually(() => session.signal.aborted);
    expect((session.signal.reason as Error).message).toBe('the client has gone');
    await session.finish({ exitCode: 0 });
  });

  it('ends a session that carries nothing for four hours, and says why', async () => {
    const { world, client, session } = await start();
    await world.clock.advance(HOURS_4_MS - 60_000);
    session.stdout?.write('x');
    await eventually(() => client.output.stdout.length > 0);
    await world.clock.advance(HOURS_4_MS - 60_000);
    expect(session.signal.aborted).toBe(false);
    await world.clock.advance(60_000);
    await eventually(client.hasEnded);
    expect((session.signal.reason as Error).message).toBe('nothing was sent or received for 14400 s');
    expect(client.output.error.toString()).toContain('nothing was sent or received for 14400 s');
    client.leave();
    await session.finish({ exitCode: 0 });
    expect(client.output.error.toString()).not.toContain('Success');
  });

  it('tells the client that the server closes', async () => {
    const { world, client, session } = await start();
    world.closing.abort();
    await eventually(client.hasEnded);
    expect(session.signal.aborted).toBe(true);
    expect(client.output.error.toString()).toContain('"message":"the server is closing"');
    client.leave();
    await session.finish({ exitCode: 0 });
  });

  it('leaves nothing behind at the signal of the server', async () => {
    const { world, client, session } = await start();
    expect(getEventListeners(world.closing.signal, 'abort').length).toBeGreaterThan(0);
    client.vanish();
    await eventually(() => session.signal.aborted);
    expect(getEventListeners(world.closing.signal, 'abort')).toEqual([]);
  });

  it('keeps quiet towards the client when the user gives its streams up', async () => {
    const { client, session } = await start();
    session.stdin?.destroy();
    session.stdout?.destroy();
    client.write('stdin', 'nobody reads it');
    session.stderr?.write('and yet');
    await eventually(() => client.output.stderr.length > 0);
    void session.finish({ exitCode: 4 });
    await eventually(client.hasEnded);
    expect(client.output.error.toString()).toContain('"message":"4"');
    if ('events' in client) expect(client.events).not.toContain('reset stdin 5');
  });

  it('tells a result once', async () => {
    const { client, session } = await start();
    const first = session.finish({ exitCode: 1 });
    const second = session.finish({ exitCode: 2 });
    await eventually(client.hasEnded);
    client.leave();
    await Promise.all([first, second]);
    expect(client.output.error.toString().match(/ExitCode"/g)).toHaveLength(2);
  });
});
