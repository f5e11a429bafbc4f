import { Duplex, duplexPair } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { uint32 } from '../../../support/streaming/header-deflater.ts';
import { control, data, SpdyClient, settle, until, wordsOf } from './spdy-client.ts';

const MEBIBYTE = 1_048_576;
const reasonOf = (client: SpdyClient): string => (client.server.signal.reason as Error).message;

/** Sends `frames` again and again until the server does not take them; answers how often it did. */
const sendUntilStuck = async (client: SpdyClient, frames: Buffer): Promise<number> => {
  for (let sent = 0; ; sent += 1) {
    let taken = false;
    client.io.write(frames, () => {
      taken = true;
    });
    await settle();
    if (!taken) return sent;
  }
};

describe('what a SPDY connection holds in memory', () => {
  it('stops reading while a stream’s reader is behind, and goes on when it reads', async () => {
    const client = new SpdyClient().listen();
    await client.open(1, { streamtype: 'stdin' });
    const sent = await sendUntilStuck(client, data(1, Buffer.alloc(65_536)));
    expect(sent).toBeGreaterThanOrEqual(16);
    expect(sent).toBeLessThan(20);
    let read = 0;
    client.streams.get('stdin')?.on('data', (part: Buffer) => {
      read += part.length;
    });
    await until(() => read === (sent + 1) * 65_536);
  });

  it('goes on when the stream that is behind is given up', async () => {
    const client = new SpdyClient().listen();
    await client.open(1, { streamtype: 'stdin' });
    for (let index = 0; index < 40; index += 1) client.send(data(1, Buffer.alloc(65_536)));
    client.send(control(6, uint32(7)));
    await settle();
    expect(wordsOf(client.received)).not.toContain('ping 7');
    client.streams.get('stdin')?.destroy();
    expect(await client.words()).toContain('ping 7');
  });

  it('counts what a piece costs beside its bytes', async () => {
    const client = new SpdyClient().listen();
    await client.open(1, { streamtype: 'stdin' });
    const stream = client.streams.get('stdin');
    for (let index = 0; index < 10_000; index += 1) client.send(data(1, 'x'));
    await until(() => (stream?.readableLength ?? 0) > 4_000);
    await settle();
    expect(stream?.readableLength).toBeLessThan(4_200);
    let read = 0;
    stream?.on('data', (part: Buffer) => {
      read += part.length;
    });
    await until(() => read === 10_000);
  });

  it('bounds all streams together', async () => {
    const client = new SpdyClient().listen();
    const ids = Array.from({ length: 100 }, (_, index) => index * 2 + 1);
    for (const id of ids) await client.open(id, { streamtype: `s${id}` });
    const unread = (): number => [...client.streams.values()].reduce((sum, stream) => sum + stream.readableLength, 0);
    // A round fills each stream with a sixteenth of what it alone may hold.
    const round = Buffer.concat(ids.map((id) => data(id, Buffer.alloc(65_536))));
    expect(await sendUntilStuck(client, round)).toBeLessThan(3);
    expect(unread()).toBeGreaterThan(5 * MEBIBYTE);
    expect(unread()).toBeLessThan(9 * MEBIBYTE);
  });

  it('takes no more from its writers than the client reads', async () => {
    const client = new SpdyClient();
    await client.open(1, { streamtype: 'stdout' });
    await until(() => client.streams.has('stdout'));
    const stdout = client.streams.get('stdout');
    let written = 0;
    while (stdout?.write(Buffer.alloc(16_384)) === true) {
      written += 16_384;
      await settle();
    }
    expect(written).toBeLessThan(MEBIBYTE);
    let drained = false;
    stdout?.once('drain', () => {
      drained = true;
    });
    await settle();
    expect(drained).toBe(false);
    client.io.resume();
    await until(() => drained);
  });

  it('does not pile up answers for a client that pings and never listens', async () => {
    const [mine, theirs] = duplexPair({ highWaterMark: 65_536 });
    const client = new SpdyClient({ pair: [mine, theirs] });
    const pings = Buffer.concat(Array.from({ length: 4_096 }, () => control(6, uint32(1))));
    expect(await sendUntilStuck(client, pings)).toBeLessThan(40);
    expect(theirs.writableLength).toBeLessThan(2 * MEBIBYTE);
    expect(client.server.signal.aborted).toBe(false);
  });

  it('fails its writers when the socket breaks', async () => {
    const socket = new Duplex({
      read: () => undefined,
      write: (_chunk, _encoding, callback) => callback(new Error('EPIPE')),
    });
    const client = new SpdyClient({ pair: [new Duplex({ read: () => undefined }), socket] });
    client.server.close();
    await until(() => client.server.signal.aborted);
    expect(reasonOf(client)).toBe('EPIPE');
  });
});
