import { describe, expect, it } from 'vitest';
import type { KubeletRequest, KubeletResponse } from '../../../src/kubelet/http.ts';
import { kubeletHandler } from '../../../src/lambda/kubelet-handler.ts';
import { bytes, context, contextWith, httpApiEvent, optionsForTest, restApiEvent } from './samples.ts';

const answering = (body: KubeletResponse['body']) => async (): Promise<KubeletResponse> => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body,
});

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield bytes(text);
}

const event = httpApiEvent('GET', '/pods');

describe('kubeletHandler', () => {
  it('hands the request over', async () => {
    const seen: KubeletRequest[] = [];
    const handler = kubeletHandler(async (request) => {
      seen.push(request);
      return { status: 204, headers: {}, body: '' };
    }, optionsForTest());
    await handler(event, context);
    await handler(restApiEvent('GET', '/healthz'), context);
    expect(seen.map(({ method, path }) => [method, path])).toEqual([
      ['GET', '/pods'],
      ['GET', '/healthz'],
    ]);
    expect(seen.every(({ signal }) => !signal.aborted)).toBe(true);
  });

  it.each([
    ['a text', 'hellö', 'hellö', false],
    ['bytes', bytes('hello'), 'aGVsbG8=', true],
    ['a stream', chunks('hel', 'lo'), 'aGVsbG8=', true],
    ['an empty stream', chunks(), '', true],
  ])('answers with %s', async (_what, body, text, isBase64Encoded) => {
    expect(await kubeletHandler(answering(body), optionsForTest())(event, context)).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'text/plain' },
      body: text,
      isBase64Encoded,
    });
  });

  it('ends a stream cleanly when the time is nearly over, though its source hangs', async () => {
    const options = optionsForTest();
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield bytes('line\n');
      await new Promise(() => undefined);
    }
    const answer = kubeletHandler(answering(endless()), options)(event, contextWith(29_000));
    await options.clock.advance(27_000);
    expect(await answer).toMatchObject({ statusCode: 200, body: 'bGluZQo=' });
  });

  it('ends a stream where Lambda could not answer more, and stops its source', async () => {
    let sent = 0;
    let ended = false;
    async function* huge(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          sent += 1;
          yield new Uint8Array(1_000_000);
        }
      } finally {
        ended = true;
      }
    }
    const { body } = await kubeletHandler(answering(huge()), optionsForTest())(event, context);
    expect(Buffer.from(body, 'base64').byteLength).toBe(4_500_000);
    expect([sent, ended]).toEqual([5, true]);
  });

  it.each([
    ['the handler fails', () => Promise.reject(new Error('boom')), event],
    ['the stream fails', answering(failingStream()), event],
    ['the event is none', answering(''), {}],
  ])('says 500 where %s, and logs once', async (_what, handler, given) => {
    const options = optionsForTest();
    expect(await kubeletHandler(handler, options)(given, context)).toEqual({
      statusCode: 500,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'internal error',
    });
    expect(options.logger.lines.map(({ message }) => message)).toEqual(['kubelet request failed']);
  });
});

async function* failingStream(): AsyncGenerator<Uint8Array> {
  yield bytes('line\n');
  throw new Error('boom');
}
