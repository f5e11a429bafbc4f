import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeletHandler } from '../../../src/kubelet/http.ts';
import { type KubeletServer, startKubeletServer } from '../../../src/server/kubelet-server.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';
import { type KeyPair, TestAuthority } from './test-certificates.ts';

const HEADERS = { 'content-type': 'text/plain' };
const MEBIBYTE = 1_048_576;

let authority: TestAuthority;
let pair: KeyPair;
let clock: FakeClock;
let logger: RecordingLogger;
let server: KubeletServer | undefined;

beforeAll(async () => {
  authority = await TestAuthority.create();
  pair = await authority.issue({ subject: 'CN=system:node:vk-a', usage: 'server' });
});

afterEach(async () => {
  await server?.close(0);
  server = undefined;
});

const start = async (handler: KubeletHandler): Promise<number> => {
  clock = new FakeClock();
  logger = new RecordingLogger();
  server = await startKubeletServer({ host: '127.0.0.1', port: 0, certificates: pair, handler, clock, logger });
  return server.port;
};

const get = async (port: number): Promise<IncomingMessage> => {
  const call = httpsRequest({ host: '127.0.0.1', port, ca: authority.certificate, agent: false });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return response;
};

const rawGet = async (port: number): Promise<TLSSocket> => {
  const socket = connectTls({ host: '127.0.0.1', port, ca: authority.certificate });
  await once(socket, 'secureConnect');
  socket.write('GET /containerLogs/a/b/c HTTP/1.1\r\nhost: x\r\n\r\n');
  return socket;
};

const bytesOf = async (message: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
};

describe('a streamed answer', () => {
  it('sends headers at once and every chunk as it comes', async () => {
    const lines: ((line: string) => void)[] = [];
    const next = (): Promise<string> => new Promise((resolve) => lines.push(resolve));
    const port = await start(async () => ({
      status: 200,
      headers: HEADERS,
      body: (async function* () {
        yield Buffer.from(await next());
        yield Buffer.from(await next());
      })(),
    }));

    const response = await get(port);
    expect(response.headers['transfer-encoding']).toBe('chunked');
    response.setEncoding('utf8');
    const chunks = response[Symbol.asyncIterator]();
    await untilThere(() => lines[0]);
    lines[0]?.('one\n');
    expect((await chunks.next()).value).toBe('one\n');
    await untilThere(() => lines[1]);
    lines[1]?.('two\n');
    expect((await chunks.next()).value).toBe('two\n');
    expect((await chunks.next()).done).toBe(true);
    expect(response.complete).toBe(true);
  });

  it('is byte-exact', async () => {
    const body = Buffer.from(Array.from({ length: 3 * MEBIBYTE }, (_, index) => (index * 31 + (index >> 8)) & 255));
    const port = await start(async () => ({
      status: 200,
      headers: HEADERS,
      body: (async function* () {
        for (let at = 0; at < body.length; at += 70_001) yield body.subarray(at, at + 70_001);
      })(),
    }));
    expect((await bytesOf(await get(port))).equals(body)).toBe(true);
  });

  it('aborts the request and lets go of the source when the client leaves', async () => {
    let signal: AbortSignal | undefined;
    let released: () => void = () => undefined;
    const release = new Promise<void>((resolve) => {
      released = resolve;
    });
    const port = await start(async (request) => {
      signal = request.signal;
      return {
        status: 200,
        headers: HEADERS,
        body: (async function* () {
          try {
            yield Buffer.from('first\n');
            await aborted(request.signal);
          } finally {
            released();
          }
        })(),
      };
    });
    const response = await get(port);
    await once(response, 'readable');
    response.destroy();
    await release;
    expect(signal?.aborted).toBe(true);
    expect(logger.lines).toEqual([]);
  });

  it('aborts a request whose client leaves before it is answered', async () => {
    let seen: (signal: AbortSignal) => void = () => undefined;
    const arrived = new Promise<AbortSignal>((resolve) => {
      seen = resolve;
    });
    const port = await start(async ({ signal }) => {
      seen(signal);
      await aborted(signal);
      throw signal.reason as Error;
    });
    const socket = await rawGet(port);
    const signal = await arrived;
    socket.destroy();
    await aborted(signal);
    expect(logger.lines).toEqual([]);
  });

  it('does not read ahead of a client that reads nothing', async () => {
    const chunk = Buffer.alloc(65_536, 'x');
    let produced = 0;
    const port = await start(async ({ signal }) => ({
      status: 200,
      headers: HEADERS,
      body: (async function* () {
        while (!signal.aborted) {
          produced += chunk.length;
          yield chunk;
        }
      })(),
    }));
    const socket = await rawGet(port);
    socket.pause();
    // What the kernel's buffers hold differs; that the source comes to rest does not.
    let before = -1;
    while (produced !== before) {
      before = produced;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(produced).toBeLessThan(32 * MEBIBYTE);
    socket.destroy();
  });

  it('cuts the connection where the source fails, so that the loss is seen', async () => {
    const port = await start(async () => ({
      status: 200,
      headers: HEADERS,
      body: (async function* () {
        yield Buffer.from('some\n');
        throw new Error('lost');
      })(),
    }));
    await expect(bytesOf(await get(port))).rejects.toThrow('aborted');
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'request failed' }]);
  });
});

describe('closing the server', () => {
  it('ends streams cleanly and idle connections at once', async () => {
    const port = await start(async ({ signal }) => ({
      status: 200,
      headers: HEADERS,
      body: (async function* () {
        yield Buffer.from('first\n');
        await aborted(signal);
      })(),
    }));
    const idle = connectTls({ host: '127.0.0.1', port, ca: authority.certificate });
    await once(idle, 'secureConnect');
    const response = await get(port);
    const body = bytesOf(response);

    // The clock stands still: nothing of this may need the grace time.
    await server?.close();
    server = undefined;

    expect((await body).toString()).toBe('first\n');
    expect(response.complete).toBe(true);
    await bytesOf(idle);
  });

  it('cuts what does not end within the grace time', async () => {
    const port = await start(async () => ({
      status: 200,
      headers: HEADERS,
      body: (async function* () {
        yield Buffer.from('first\n');
        await new Promise(() => undefined);
      })(),
    }));
    const response = await get(port);
    const body = bytesOf(response);
    body.catch(() => undefined);
    const closing = server?.close(5_000);
    server = undefined;
    await clock.advance(5_000);
    await closing;
    await expect(body).rejects.toThrow('aborted');
  });
});

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const untilThere = async (look: () => unknown): Promise<void> => {
  while (look() === undefined) await new Promise((resolve) => setImmediate(resolve));
};
