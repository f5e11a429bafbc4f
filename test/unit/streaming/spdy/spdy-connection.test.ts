import { constants, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SPDY_DICTIONARY } from '../../../../src/streaming/spdy/dictionary.ts';
import { uint32 } from '../../../support/streaming/header-deflater.ts';
import { KUBECTL_EXEC, KUBECTL_PORT_FORWARD } from './recordings.ts';
import { control, data, replyHeaders, SpdyClient, settle, until } from './spdy-client.ts';

const MEBIBYTE = 1_048_576;
const reasonOf = (client: SpdyClient): string => (client.server.signal.reason as Error).message;
const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString();

describe('a SPDY connection', () => {
  it('serves what kubectl exec sends', async () => {
    const client = new SpdyClient().listen();
    client.send(KUBECTL_EXEC.subarray(0, 155));
    await until(() => client.streams.has('stderr'));
    await settle();
    expect([...client.streams].map(([name, { id }]) => [name, id])).toEqual([
      ['error', 1],
      ['stdin', 3],
      ['stdout', 5],
      ['stderr', 7],
    ]);
    expect(client.received.toString('hex')).toBe(
      '8003000200000014000000017801000400fbff00000000000000ffff' +
        '800300020000001200000003000400fbff00000000000000ffff' +
        '800300020000001200000005000400fbff00000000000000ffff' +
        '800300020000001200000007000400fbff00000000000000ffff',
    );
    expect(await replyHeaders(client.received)).toEqual([uint32(0), uint32(0), uint32(0), uint32(0)]);

    const stdin: Buffer[] = [];
    client.streams.get('stdin')?.on('data', (chunk: Buffer) => stdin.push(chunk));
    client.streams.get('stdin')?.on('end', () => stdin.push(Buffer.from('END')));
    client.send(KUBECTL_EXEC.subarray(155));
    await client.barrier();
    expect(textOf(stdin)).toBe('hello\nEND');
    expect([...client.streams.values()].map(({ destroyed }) => destroyed)).toEqual([true, true, true, true]);
    expect(client.server.signal.aborted).toBe(false);
  });

  it('serves what kubectl port-forward sends', async () => {
    const client = new SpdyClient({ head: KUBECTL_PORT_FORWARD });
    await until(() => client.streams.has('data'));
    expect(client.streams.get('error')?.headers).toEqual({ streamtype: 'error', port: '80', requestid: '0' });
    expect(client.streams.get('data')?.headers).toEqual({ streamtype: 'data', port: '80', requestid: '0' });
    const sent: Buffer[] = [];
    client.streams.get('data')?.on('data', (chunk: Buffer) => sent.push(chunk));
    await settle();
    expect(textOf(sent)).toBe(
      'GET /x HTTP/1.1\r\nHost: 127.0.0.1:18765\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n',
    );
  });

  it('ends its halves one by one', async () => {
    const client = new SpdyClient().listen();
    await client.open(1, { streamtype: 'stdin' });
    const stream = client.streams.get('stdin');
    stream?.resume();
    stream?.write('out');
    client.send(data(1, '', true));
    await client.barrier();
    expect(stream?.readableEnded).toBe(true);
    stream?.end('more');
    expect(await client.words()).toEqual(['reply 1', 'data 1 6f7574', 'data 1 6d6f7265', 'data 1 fin']);
    expect(stream?.destroyed).toBe(true);
    client.send(data(1, 'late'));
    expect(await client.words()).toHaveLength(4);
  });

  it('takes an end that comes with the opening', async () => {
    const client = new SpdyClient().listen();
    await client.open(1, { streamtype: 'error' }, 1);
    const stream = client.streams.get('error');
    stream?.resume();
    await settle();
    expect(stream?.readableEnded).toBe(true);
  });

  it('resets a stream that is given up, and sends no more of it', async () => {
    const client = new SpdyClient().listen();
    await client.open(1, { streamtype: 'data' });
    client.streams.get('data')?.destroy();
    expect(await client.words()).toEqual(['reply 1', 'reset 1 5']);
  });

  it('does not answer a reset with one', async () => {
    const client = new SpdyClient().listen();
    await client.open(1, { streamtype: 'data' });
    client.send(control(3, Buffer.concat([uint32(1), uint32(5)])));
    expect(await client.words()).toEqual(['reply 1']);
    expect(client.streams.get('data')?.destroyed).toBe(true);
  });

  it('refuses streams it does not want and goes on', async () => {
    const client = new SpdyClient({ accept: ({ streamtype }) => streamtype !== 'bad' }).listen();
    await client.open(1, { streamtype: 'bad' });
    await client.open(3, { streamtype: 'good' });
    expect(await client.words()).toEqual(['reset 1 3', 'reply 3']);
    expect([...client.streams.keys()]).toEqual(['good']);
  });

  it('refuses more streams than it may hold, until some end', async () => {
    const client = new SpdyClient({ maxStreams: 2 }).listen();
    for (const id of [1, 3, 5]) await client.open(id, { streamtype: `s${id}` });
    client.streams.get('s1')?.destroy();
    await client.open(7, { streamtype: 's7' });
    expect(await client.words()).toEqual(['reply 1', 'reply 3', 'reset 5 3', 'reset 1 5', 'reply 7']);
  });

  it('echoes the pings of the client only', async () => {
    const client = new SpdyClient().listen();
    client.send(control(6, uint32(7)), control(6, uint32(8)));
    expect(await client.words()).toEqual(['ping 7']);
  });

  it('ignores settings, window updates, goodbyes and data of strangers', async () => {
    const client = new SpdyClient().listen();
    client.send(
      control(4, Buffer.alloc(12)),
      control(9, Buffer.alloc(8)),
      control(7, Buffer.alloc(8)),
      control(99, Buffer.alloc(3)),
      data(9, 'x'),
    );
    await client.open(1, { streamtype: 'error' });
    expect(await client.words()).toEqual(['reply 1']);
  });

  it.each([
    {
      what: 'a reply',
      frame: control(2, Buffer.alloc(14)),
      reason: 'a frame of type 2, which no client of this protocol sends',
    },
    {
      what: 'headers',
      frame: control(8, Buffer.alloc(14)),
      reason: 'a frame of type 8, which no client of this protocol sends',
    },
    { what: 'a ping without a number', frame: control(6, Buffer.alloc(3)), reason: 'a control frame that ends early' },
    {
      what: 'an opening without headers',
      frame: control(1, Buffer.alloc(10)),
      reason: 'a header block that ends early',
    },
    {
      what: 'headers that are no zlib',
      frame: control(1, Buffer.concat([uint32(1), Buffer.alloc(6), Buffer.from('garbage')])),
      reason: /^a header block that is no zlib: /,
    },
    { what: 'another version', frame: control(1, Buffer.alloc(10), 0, 2), reason: /version 2/ },
  ])('cuts the connection for $what', async ({ frame, reason }) => {
    const client = new SpdyClient().listen();
    client.send(frame);
    await until(() => client.server.signal.aborted);
    expect(reasonOf(client)).toEqual(expect.stringMatching(reason));
  });

  it.each([
    { what: 'an even id', ids: [2] },
    { what: 'an id again', ids: [1, 1] },
    { what: 'a falling id', ids: [3, 1] },
  ])('cuts the connection for $what', async ({ ids }) => {
    const client = new SpdyClient().listen();
    for (const id of ids) await client.open(id, { streamtype: 'x' });
    expect(reasonOf(client)).toMatch(/^stream id \d after \d$/);
  });

  it.each([
    { what: 'claims too many headers', block: uint32(101), reason: '101 headers: at most 100' },
    {
      what: 'claims more than there is',
      block: Buffer.concat([uint32(1), uint32(4_000_000_000)]),
      reason: 'a header block that ends early',
    },
    {
      what: 'unpacks to megabytes',
      block: Buffer.alloc(16 * MEBIBYTE),
      reason: 'a header block of more than 65536 bytes',
    },
  ])('cuts the connection for a header block that $what', async ({ block, reason }) => {
    const client = new SpdyClient().listen();
    const packed = deflateSync(block, { dictionary: SPDY_DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH });
    client.send(control(1, Buffer.concat([uint32(1), Buffer.alloc(6), packed])));
    await until(() => client.server.signal.aborted);
    expect(reasonOf(client)).toBe(reason);
  });

  it('destroys its streams when the client hangs up', async () => {
    const client = new SpdyClient().listen();
    await client.open(1, { streamtype: 'stdout' });
    client.io.destroy();
    await until(() => client.server.signal.aborted);
    expect(client.streams.get('stdout')?.destroyed).toBe(true);
  });

  it('says goodbye when it closes, after what was written', async () => {
    const client = new SpdyClient().listen();
    await client.open(1, { streamtype: 'stdout' });
    client.streams.get('stdout')?.end('last');
    await client.barrier();
    client.io.on('end', () => client.io.end());
    client.server.close();
    await until(() => client.server.signal.aborted);
    expect(await client.words()).toEqual(['reply 1', 'data 1 6c617374', 'data 1 fin', 'goaway 1']);
  });

  it('takes what still comes after its goodbye, for five seconds', async () => {
    const client = new SpdyClient().listen();
    await client.open(1, { streamtype: 'data' });
    client.server.close();
    client.server.close();
    client.send(data(1, 'too late'), control(6, uint32(1)));
    await client.clock.advance(4_999);
    expect(client.server.signal.aborted).toBe(false);
    expect(client.streams.get('data')?.readableLength).toBe(0);
    let fault: Error | null | undefined;
    client.streams.get('data')?.write('too late', (error) => {
      fault = error;
    });
    await client.clock.advance(1);
    expect(client.server.signal.aborted).toBe(true);
    expect(fault?.message).toBe('the connection was closed');
    expect(await client.words()).toEqual(['reply 1', 'goaway 1']);
  });

  it('pings with even numbers, whose answers it ignores', async () => {
    const client = new SpdyClient().listen();
    client.server.ping();
    client.server.ping();
    client.send(control(6, uint32(2)));
    expect(await client.words()).toEqual(['ping 2', 'ping 4']);
  });

  it('gives no frame more than 64 KiB', async () => {
    const client = new SpdyClient().listen();
    await client.open(1, { streamtype: 'stdout' });
    const body = Buffer.alloc(131_077, 'y');
    client.streams.get('stdout')?.end(body);
    await until(() => client.received.subarray(-8).equals(Buffer.from('0000000101000000', 'hex')));
    const bytes = client.received.subarray(-(131_077 + 4 * 8));
    const [first, second, third] = [4, 65_548, 131_092].map((at) => bytes.readUInt32BE(at));
    expect([first, second, third]).toEqual([65_536, 65_536, 5]);
  });

  it('hands on what had come when both halves are ended and the client resets it', async () => {
    const client = new SpdyClient().listen();
    await client.open(1, { streamtype: 'data' });
    client.send(data(1, 'last words', true));
    const stream = client.streams.get('data');
    stream?.end();
    await client.barrier();
    client.send(control(3, Buffer.concat([uint32(1), uint32(5)])));
    await client.barrier();
    const parts: Buffer[] = [];
    stream?.on('data', (part: Buffer) => parts.push(part));
    await until(() => stream?.destroyed === true);
    expect(textOf(parts)).toBe('last words');
  });

  it('does not reset what its user gives up where it was told so, and ends it later', async () => {
    const client = new SpdyClient({ resetsGivenUp: false }).listen();
    await client.open(1, { streamtype: 'stdin' });
    client.streams.get('stdin')?.destroy();
    client.send(data(1, 'nobody reads it'));
    expect(await client.words()).toEqual(['reply 1']);
    await client.streams.get('stdin')?.finishWriting();
    expect(await client.words()).toEqual(['reply 1', 'data 1 fin']);
  });
});
