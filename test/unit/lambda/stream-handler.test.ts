import { beforeAll, describe, expect, it } from 'vitest';
import { installAwsLambda, LocalResponseStream } from '../../../infra/local/front/response-stream.ts';
import type { KubeletHandler, KubeletResponse } from '../../../src/kubelet/http.ts';
import { streamHandler } from '../../../src/lambda/stream-handler.ts';
import { bytes, context, contextWith, optionsForTest, restApiEvent } from './samples.ts';

beforeAll(() => installAwsLambda());

const event = restApiEvent('GET', '/containerLogs/default/web/app');

const answering = (body: KubeletResponse['body']) => async (): Promise<KubeletResponse> => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body,
});

/** One call and what has gone out so far. */
const call = (handler: KubeletHandler, options = optionsForTest(), given = context) => {
  const sent: string[] = [];
  const stream = new LocalResponseStream(async (chunk) => void sent.push(Buffer.from(chunk).toString('utf8')));
  const done = streamHandler(handler, options)(event, stream, given).catch((error: unknown) => error);
  return { sent, stream, done, options };
};

const HEAD = '{"statusCode":200,"headers":{"content-type":"text/plain"}}';
const NULS = '\0'.repeat(8);

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield bytes(text);
}

describe('streamHandler', () => {
  it.each([
    ['a text', 'hello'],
    ['bytes', bytes('hello')],
    ['a stream', chunks('hel', '', 'lo')],
  ])('sends status, headers and %s', async (_what, body) => {
    const { sent, done } = call(answering(body));
    await done;
    expect(sent.join('')).toBe(`${HEAD}${NULS}hello`);
  });

  it('sends status and headers of an empty answer', async () => {
    const { sent, done } = call(answering(chunks()));
    await done;
    expect(sent.join('')).toBe(`${HEAD}${NULS}`);
  });

  it('sends each chunk as it comes', async () => {
    const gate = Promise.withResolvers<void>();
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield bytes('first');
      await gate.promise;
      yield bytes('second');
    }
    const { sent, done } = call(answering(slow()));
    await expect.poll(() => sent.join('')).toBe(`${HEAD}${NULS}first`);
    gate.resolve();
    await done;
    expect(sent.join('')).toBe(`${HEAD}${NULS}firstsecond`);
  });

  it('ends cleanly when the time is nearly over, though its source hangs', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield bytes('line');
      await new Promise(() => undefined);
    }
    const { sent, done, options } = call(answering(endless()), optionsForTest(), contextWith(300_000));
    await expect.poll(() => sent.join('')).toBe(`${HEAD}${NULS}line`);
    await options.clock.advance(298_000);
    expect(await done).toBeUndefined();
    expect(sent.join('')).toBe(`${HEAD}${NULS}line`);
    expect(options.logger.lines).toEqual([]);
  });

  it('tells the source at once that the client has gone', async () => {
    const left = Promise.withResolvers<string>();
    const handler: KubeletHandler = async ({ signal }) => {
      signal.addEventListener('abort', () => left.resolve(String(signal.reason)));
      async function* endless(): AsyncGenerator<Uint8Array> {
        yield bytes('line');
        await new Promise(() => undefined);
      }
      return { status: 200, headers: {}, body: endless() };
    };
    const { sent, stream, done } = call(handler);
    await expect.poll(() => sent.join('')).toContain('line');
    stream.destroy();
    expect(await left.promise).toBe('Error: the client has gone');
    await done;
  });

  it('breaks rather than look complete where the source fails', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield bytes('line');
      throw new Error('Bearer abc');
    }
    const { done, options, stream } = call(answering(failing()));
    expect(await done).toMatchObject({ message: 'the stream failed: see the log above' });
    expect(stream.writableFinished).toBe(false);
    expect(options.logger.lines.map(({ message }) => message)).toEqual(['stream failed']);
  });

  it('says 500 where the handler fails', async () => {
    const { sent, done, options } = call(() => Promise.reject(new Error('boom')));
    await done;
    expect(sent.join('')).toBe(
      `{"statusCode":500,"headers":{"content-type":"text/plain; charset=utf-8"}}${NULS}internal error`,
    );
    expect(options.logger.lines.map(({ message }) => message)).toEqual(['kubelet request failed']);
  });
});
