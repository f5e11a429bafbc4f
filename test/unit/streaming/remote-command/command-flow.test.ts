import { createHash, randomFillSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../support/streaming/wait.ts';
import { HOURS_4_MS } from './command-world.ts';
import { commandStarts, TRANSPORTS } from './transports.ts';

const MEBIBYTE = 1_048_576;
/** Pieces count for more than their bytes: a buffer is full a little before. */
const NEARLY = 0.9;

describe.each(TRANSPORTS)('a remote command over $name', ({ name, connect }) => {
  const start = commandStarts(connect);

  it('finds out that the client has gone though its input is not read', async () => {
    const { world, client, session } = await start();
    for (let sent = 0; sent < 32; sent += 1) client.write('stdin', Buffer.alloc(MEBIBYTE));
    await eventually(() => session.figures().bytesIn >= NEARLY * MEBIBYTE);
    client.vanish();
    for (let beat = 0; beat < 4 && !session.signal.aborted; beat += 1) {
      await world.clock.advance(10_000);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await eventually(() => session.signal.aborted);
  });

  it('reads no more than it may hold while the input is not taken', async () => {
    const { client, session } = await start();
    const mostMiB = name === 'SPDY' ? 1 : 4;
    for (let sent = 0; sent < 32; sent += 1) client.write('stdin', Buffer.alloc(MEBIBYTE));
    await eventually(() => session.figures().bytesIn >= NEARLY * mostMiB * MEBIBYTE);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(session.figures().bytesIn).toBeLessThan((mostMiB + 1.5) * MEBIBYTE);
    let taken = 0;
    session.stdin?.on('data', (part: Buffer) => {
      taken += part.length;
    });
    await eventually(() => taken === 32 * MEBIBYTE);
  });

  it('holds a writer back while the client does not read', async () => {
    const { client, session } = await start();
    client.pause();
    let written = 0;
    const chunk = Buffer.alloc(65_536);
    const write = (): void => {
      while (written < 64 * MEBIBYTE && session.stdout?.write(chunk) === true) written += chunk.length;
    };
    session.stdout?.on('drain', write);
    write();
    await new Promise((resolve) => setTimeout(resolve, 300));
    // The rest is in the sockets' own buffers.
    expect(written).toBeLessThan(24 * MEBIBYTE);
    client.resume();
    await eventually(() => client.output.lengthOf('stdout') > 64 * MEBIBYTE);
  });

  it('takes note of the end while the client sends what nobody reads', async () => {
    const { client, session } = await start();
    for (let sent = 0; sent < 16; sent += 1) client.write('stdin', Buffer.alloc(MEBIBYTE));
    await eventually(() => session.figures().bytesIn >= NEARLY * MEBIBYTE);
    const finished = session.finish({ exitCode: 7 });
    await eventually(() => client.hasEnded() && client.unsent() === 0);
    expect(client.output.error.toString()).toContain('"message":"7"');
    client.leave();
    await finished;
  });

  it('gives a slow reader all there is before it hangs up', async () => {
    const { client, session } = await start();
    client.pause();
    const bytes = randomFillSync(Buffer.alloc(32 * MEBIBYTE));
    session.stdout?.end(bytes);
    const finished = session.finish({ exitCode: 0 });
    while (!client.hasEnded() || client.output.lengthOf('stdout') < bytes.length) {
      client.resume();
      await new Promise((resolve) => setTimeout(resolve, 1));
      client.pause();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    client.resume();
    const digest = (data: Buffer): string => createHash('sha256').update(data).digest('hex');
    expect(digest(client.output.stdout)).toBe(digest(bytes));
    expect(client.output.error.toString()).toContain('Success');
    client.leave();
    await finished;
  });

  it('hangs up itself on a client that stays for long after the end', async () => {
    const { world, client, session } = await start();
    client.pause();
    let isOver = false;
    void session.finish({ exitCode: 0 }).then(() => {
      isOver = true;
    });
    await world.clock.advance(119_000);
    expect(session.signal.aborted).toBe(false);
    for (let round = 0; round < 20 && !isOver; round += 1) await world.clock.advance(60_000);
    await eventually(() => isOver);
    expect(session.signal.aborted).toBe(true);
  });

  it('cuts off an idle client that does not listen', async () => {
    const { world, client, session } = await start();
    client.pause();
    session.stdout?.write(Buffer.alloc(32 * MEBIBYTE));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await world.clock.advance(HOURS_4_MS);
    await world.clock.advance(HOURS_4_MS);
    await world.clock.advance(20_000);
    await eventually(() => world.openSockets === 0);
    await session.finish({ exitCode: 0 });
  });
});
