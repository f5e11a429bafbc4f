import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { installAwsLambda, type LambdaResponseStream } from '../../../../infra/local/front/response-stream.ts';
import { loadStreamingHandler, type StreamingHandler } from '../../../../infra/local/front/streaming.ts';
import { bytesOf, FrontWorld } from './front-world.ts';

const PATH = '/containerLogs/default/web/app';

installAwsLambda();
const runtime = (
  globalThis as unknown as {
    awslambda: { HttpResponseStream: { from(stream: LambdaResponseStream, metadata: unknown): LambdaResponseStream } };
  }
).awslambda;
const begin = (stream: LambdaResponseStream, statusCode = 200): LambdaResponseStream =>
  runtime.HttpResponseStream.from(stream, { statusCode, headers: { 'content-type': 'text/plain' } });

/** What pipelines do: one write, then the end. */
const send = (stream: LambdaResponseStream, body: string, statusCode = 200): void => {
  begin(stream, statusCode).write(body);
  stream.end();
};

afterEach(FrontWorld.stopAll);

describe('the front before a streaming function', () => {
  it('sends only GETs of logs to it', async () => {
    const seen: string[] = [];
    const world = await FrontWorld.start({
      stream: async (event, stream) => {
        seen.push(`${event.resource} ${event.pathParameters?.proxy} ${event.queryStringParameters?.follow}`);
        send(stream, 'log');
      },
      invoke: (event) => ({ statusCode: 405, body: event.resource }),
    });
    expect(await world.get(`${PATH}?follow=true`)).toMatchObject({ status: 200, body: 'log' });
    expect(await world.get(PATH, { method: 'POST' })).toMatchObject({ status: 405, body: '/{proxy+}' });
    expect(await world.get('/containerLogs')).toMatchObject({ status: 405 });
    expect(seen).toEqual(['/containerLogs/{proxy+} default/web/app true']);
  });

  it('sends each piece as it comes', async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const world = await FrontWorld.start({
      stream: async (_, stream) => {
        begin(stream);
        stream.write('');
        stream.write('one\n');
        await gate;
        stream.end('two\n');
      },
    });
    const response = await world.open(PATH);
    expect(response.headers['content-type']).toBe('text/plain');
    response.setEncoding('utf8');
    const chunks = response[Symbol.asyncIterator]();
    expect((await chunks.next()).value).toBe('one\n');
    go();
    expect((await chunks.next()).value).toBe('two\n');
    expect((await chunks.next()).done).toBe(true);
    expect(world.faults).toEqual([]);
  });

  it('is byte-exact, eight NUL bytes in the body included', async () => {
    const body = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from(Array.from({ length: 2_000_000 }, (_, index) => (index * 7) & 255)),
    ]);
    const world = await FrontWorld.start({
      stream: async (_, stream) => pipeline(Readable.from([body.subarray(0, 5), body.subarray(5)]), begin(stream)),
    });
    expect((await bytesOf(await world.open(PATH))).equals(body)).toBe(true);
  });

  it('passes on status and empty bodies', async () => {
    const world = await FrontWorld.start({
      stream: async (_, stream) => {
        send(stream, '', 404);
      },
    });
    expect(await world.get(PATH)).toMatchObject({ status: 404, body: '' });
  });

  it.each<{ what: string; stream: StreamingHandler; fault: string }>([
    {
      what: 'throws at once',
      stream: async () => {
        throw new Error('broken');
      },
      fault: 'svk-dev-container-logs: broken',
    },
    {
      what: 'ends without a single write',
      stream: async (_, stream) => void begin(stream).end(),
      fault: 'svk-dev-container-logs: ended without metadata',
    },
    {
      what: 'writes no metadata',
      stream: async (_, stream) => void stream.end('text'),
      fault: 'svk-dev-container-logs: ended without metadata',
    },
    {
      what: 'writes long text without metadata',
      stream: async (_, stream) => void stream.end('x'.repeat(16_385)),
      fault: 'svk-dev-container-logs: no metadata within the first 16 KB of the answer',
    },
  ])('answers 502 for a function that $what', async ({ stream, fault }) => {
    const world = await FrontWorld.start({ stream });
    expect(await world.get(PATH)).toMatchObject({ status: 502, body: '{"message":"Internal server error"}' });
    expect(world.faults).toEqual([fault]);
  });

  it('cuts the connection where the function fails on the way', async () => {
    const world = await FrontWorld.start({
      stream: async (_, stream) => {
        begin(stream).write('some\n');
        await new Promise((resolve) => setTimeout(resolve, 20));
        throw new Error('lost');
      },
    });
    await expect(world.get(PATH)).rejects.toThrow('aborted');
    expect(world.faults).toEqual(['svk-dev-container-logs: lost']);
  });

  it.each([
    { limits: { streamTimeoutMs: 50 }, fault: 'svk-dev-container-logs: timed out after 50 ms' },
    { limits: { streamIdleTimeoutMs: 50 }, fault: 'svk-dev-container-logs: silent for 50 ms' },
  ])('cuts the connection at its limits: $fault', async ({ limits, fault }) => {
    const world = await FrontWorld.start({
      stream: async (_, stream) => {
        begin(stream).write('some\n');
        await once(stream, 'close');
      },
      options: { limits },
    });
    await expect(world.get(PATH)).rejects.toThrow('aborted');
    expect(world.faults).toEqual([fault]);
  });

  it('tells the function how much time it has', async () => {
    const world = await FrontWorld.start({
      stream: async (_, stream, context) => {
        send(stream, String((context as { getRemainingTimeInMillis(): number }).getRemainingTimeInMillis() > 890_000));
      },
    });
    expect((await world.get(PATH)).body).toBe('true');
  });

  it('destroys the function’s stream when the client leaves', async () => {
    let ended: () => void = () => undefined;
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const world = await FrontWorld.start({
      stream: async (_, stream) => {
        begin(stream).write('some\n');
        await once(stream, 'close');
        ended();
      },
    });
    const response = await world.open(PATH);
    await once(response, 'readable');
    response.destroy();
    await end;
    expect(world.faults).toEqual([]);
  });

  it('does not read ahead of a client that reads nothing', async () => {
    let produced = 0;
    const world = await FrontWorld.start({
      stream: async (_, stream) => {
        begin(stream);
        await pipeline(
          Readable.from(
            (function* () {
              for (;;) {
                produced += 65_536;
                yield Buffer.alloc(65_536);
              }
            })(),
          ),
          stream,
        );
      },
    });
    const response = await world.open(PATH);
    response.pause();
    let before = -1;
    while (produced !== before) {
      before = produced;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(produced).toBeLessThan(33_554_432);
    response.destroy();
  });

  it('loads a bundle with its environment', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svk-front-'));
    try {
      const file = join(folder, 'bundle.mjs');
      writeFileSync(
        file,
        `const greeting = process.env.SVK_TEST_GREETING;
         export const handler = awslambda.streamifyResponse(async (event, stream) => {
           awslambda.HttpResponseStream.from(stream, { statusCode: 200 }).write(greeting);
           stream.end();
         });`,
      );
      const bundle = { file, exportName: 'handler', environment: { SVK_TEST_GREETING: 'hello' } };
      const handler = await loadStreamingHandler(bundle);
      const world = await FrontWorld.start({ stream: handler });
      expect(await world.get(PATH)).toMatchObject({ status: 200, body: 'hello' });
      await expect(loadStreamingHandler({ ...bundle, exportName: 'nothing' })).rejects.toThrow(
        'has no function "nothing"',
      );
    } finally {
      delete process.env.SVK_TEST_GREETING;
      rmSync(folder, { recursive: true });
    }
  });
});
