import net from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpHead, readHead } from '../../../support/streaming/http-head.ts';
import { upgradeToSpdy } from '../../../support/streaming/spdy-socket.ts';
import { eventually } from '../../../support/streaming/wait.ts';
import { CommandWorld, HOURS_4_MS, SECONDS_30_MS } from './command-world.ts';
import { connectSpdy } from './spdy-command-client.ts';

let world: CommandWorld | undefined;
const start = async (...options: Parameters<typeof CommandWorld.start>): Promise<CommandWorld> => {
  world = await CommandWorld.start(...options);
  return world;
};
afterEach(() => world?.stop());

const ask = async (port: number, protocols: readonly string[]): Promise<HttpHead> =>
  upgradeToSpdy(net.connect(port, '127.0.0.1'), '/exec/ns/pod/main?command=ls&output=1', protocols);

const valuesOf = ({ lines }: HttpHead, name: string): readonly string[] =>
  lines
    .filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `))
    .map((line) => line.slice(name.length + 2));

describe('choosing a protocol of a command over SPDY', () => {
  it.each([
    { offered: ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'v3.channel.k8s.io'], chosen: 'v4.channel.k8s.io' },
    { offered: ['v5.channel.k8s.io, v4.channel.k8s.io,v3.channel.k8s.io'], chosen: 'v4.channel.k8s.io' },
    { offered: ['v3.channel.k8s.io', 'v4.channel.k8s.io'], chosen: 'v3.channel.k8s.io' },
    { offered: ['v2.channel.k8s.io', 'channel.k8s.io'], chosen: 'v2.channel.k8s.io' },
    { offered: ['channel.k8s.io'], chosen: 'channel.k8s.io' },
  ])('takes $chosen of $offered', async ({ offered, chosen }) => {
    const { port } = await start();
    const head = await ask(port, offered);
    expect(head.status).toBe(101);
    expect(valuesOf(head, 'X-Stream-Protocol-Version')).toEqual([chosen]);
    expect(valuesOf(head, 'Upgrade')).toEqual(['SPDY/3.1']);
    expect(valuesOf(head, 'Connection')).toEqual(['Upgrade']);
  });

  it('refuses a client that names none (X-01)', async () => {
    const { port } = await start();
    const head = await ask(port, []);
    expect(head.status).toBe(400);
    expect(head.rest.toString()).toBe('unable to upgrade: the header X-Stream-Protocol-Version is missing');
    expect(await world?.next()).toBeUndefined();
  });

  it('refuses a client that speaks none of ours, and says which they are', async () => {
    const { port } = await start();
    const head = await ask(port, ['v5.channel.k8s.io', 'v9.channel.k8s.io']);
    expect(head.status).toBe(403);
    expect(valuesOf(head, 'X-Accepted-Stream-Protocol-Versions')).toEqual([
      'v4.channel.k8s.io',
      'v3.channel.k8s.io',
      'v2.channel.k8s.io',
      'channel.k8s.io',
    ]);
    expect(await world?.next()).toBeUndefined();
  });

  it.each([
    { what: 'another protocol', upgrade: 'h2c' },
    { what: 'SPDY of another version', upgrade: 'SPDY/3' },
  ])('refuses an upgrade to $what', async ({ upgrade }) => {
    const { port } = await start();
    const socket = net.connect(port, '127.0.0.1');
    socket.write(`POST /exec HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`);
    expect((await readHead(socket)).status).toBe(400);
    expect(await world?.next()).toBeUndefined();
  });
});

describe('a command over SPDY', () => {
  it.each([
    { protocol: 'v3.channel.k8s.io', result: { exitCode: 0 }, text: '' },
    {
      protocol: 'v3.channel.k8s.io',
      result: { exitCode: 3 },
      text: 'command terminated with non-zero exit code: exit status 3',
    },
    { protocol: 'v2.channel.k8s.io', result: { message: 'no such file' }, text: 'no such file' },
    { protocol: 'channel.k8s.io', result: { exitCode: 0 }, text: '' },
    { protocol: 'channel.k8s.io', result: { message: 'no such file' }, text: 'no such file' },
  ])('says $text in plain text on $protocol', async ({ protocol, result, text }) => {
    const { port } = await start();
    const client = await connectSpdy(port, { protocols: [protocol] });
    void (await world?.session())?.finish(result);
    await eventually(client.hasEnded);
    expect(client.output.error.toString()).toBe(text);
  });

  it.each([
    { protocol: 'v2.channel.k8s.io', streams: ['error', 'stdin', 'stdout'] },
    { protocol: 'v3.channel.k8s.io', streams: ['error', 'stdin', 'stdout', 'resize'] },
  ])('waits on $protocol for $streams of a terminal', async ({ protocol, streams }) => {
    const { port } = await start({ tty: true });
    await connectSpdy(port, { protocols: [protocol], streams });
    expect((await world?.session())?.figures().protocol).toBe(protocol);
  });

  it('begins whatever the order the streams come in', async () => {
    const { port } = await start({ stderr: false });
    await connectSpdy(port, { streams: ['stdout', 'stdin', 'error'] });
    expect(await world?.session()).toBeDefined();
  });

  it('hangs up when the streams are not there within half a minute', async () => {
    const { port, clock } = await start();
    const client = await connectSpdy(port, { streams: ['error', 'stdin', 'stdout'] });
    await eventually(() => client.events.length === 3);
    await clock.advance(SECONDS_30_MS);
    expect(await world?.next()).toBeUndefined();
    await eventually(client.isGone);
    expect(client.events.at(-1)).toBe('goaway 5');
  });

  it('hangs up when the server closes before the streams are there', async () => {
    const { port, closing } = await start();
    const client = await connectSpdy(port, { streams: ['error'] });
    closing.abort();
    expect(await world?.next()).toBeUndefined();
    await eventually(client.isGone);
  });

  it('gives up when the client leaves before the streams are there', async () => {
    const { port } = await start();
    const client = await connectSpdy(port, { streams: ['error'] });
    client.vanish();
    expect(await world?.next()).toBeUndefined();
  });

  it('refuses streams that are not asked for, unknown, or there already', async () => {
    const { port } = await start({ stdin: false });
    const client = await connectSpdy(port, { streams: ['error', 'stdin', 'bogus', 'stdout', 'stdout', 'stderr'] });
    await world?.session();
    await eventually(() => client.events.length === 6);
    expect(client.events).toEqual([
      'reply error',
      'reset stdin 3',
      'reset bogus 3',
      'reply stdout',
      'reset stdout 3',
      'reply stderr',
    ]);
  });

  it('ends output first, then tells the result, then ends the input', async () => {
    const { port } = await start();
    const client = await connectSpdy(port);
    void (await world?.session())?.finish({ exitCode: 0 });
    await eventually(() => client.events.includes('fin stdin'));
    expect(client.events.slice(4)).toEqual(['fin stdout', 'fin stderr', 'fin error', 'fin stdin']);
    expect(client.isGone()).toBe(false);
  });

  it('is idle though its client pings', async () => {
    const { port, clock } = await start();
    const client = await connectSpdy(port);
    const session = await world?.session();
    for (let hour = 0; hour < 4; hour += 1) {
      client.spdy.ping(hour * 2 + 1);
      await eventually(() => client.events.includes(`ping ${hour * 2 + 1}`));
      await clock.advance(HOURS_4_MS / 4);
    }
    await eventually(client.hasEnded);
    expect(session?.signal.reason).toMatchObject({ message: 'nothing was sent or received for 14400 s' });
  });

  it('pings a client that is silent, so that nothing on the way cuts it off (X-11)', async () => {
    const { port, clock } = await start();
    const client = await connectSpdy(port);
    const session = await world?.session();
    await clock.advance(11 * 60_000);
    await eventually(() => client.events.filter((words) => words.startsWith('ping ')).length === 66);
    expect(session?.signal.aborted).toBe(false);
  });

  it('takes a reset of the input for its end, and hands on what came before (X-05)', async () => {
    const { port } = await start();
    const client = await connectSpdy(port);
    const session = await world?.session();
    client.write('stdin', 'all there is');
    client.spdy.reset(3);
    if (session?.stdin === undefined) throw new Error('no input');
    expect(await text(session.stdin)).toBe('all there is');
    void session.finish({ exitCode: 0 });
    await eventually(client.hasEnded);
    expect(client.output.error.toString()).toContain('Success');
  });

  it('takes one that comes before the other streams likewise', async () => {
    const { port } = await start();
    const client = await connectSpdy(port, { streams: ['error', 'stdin'] });
    client.spdy.reset(3);
    for (const streamtype of ['stdout', 'stderr']) await client.spdy.open({ streamtype });
    const session = await world?.session();
    if (session?.stdin === undefined) throw new Error('no input');
    expect(await text(session.stdin)).toBe('');
  });

  it('fails writers when the client resets their stream, and goes on', async () => {
    const { port } = await start();
    const client = await connectSpdy(port);
    const session = await world?.session();
    client.spdy.reset(5);
    await eventually(() => session?.stdout?.destroyed === true);
    void session?.finish({ exitCode: 0 });
    await eventually(client.hasEnded);
    expect(client.output.error.toString()).toContain('Success');
  });
});
