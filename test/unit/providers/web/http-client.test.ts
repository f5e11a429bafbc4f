import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Disposition } from '../../../../src/core/errors.ts';
import { dispositionOf, ThrottledError } from '../../../../src/core/errors.ts';
import { guardedLookup } from '../../../../src/providers/web/addresses.ts';
import { HttpClient } from '../../../../src/providers/web/http-client.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { json, providerOf, startService, WORKLOAD } from './stub-service.ts';

const { signal } = new AbortController();
const rejection = async (promise: Promise<unknown>): Promise<Error> => {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(outcome instanceof Error)) throw new Error('it succeeded');
  return outcome;
};

describe('a call of the service', () => {
  it.each<[number, Disposition, string]>([
    [400, 'invalid', 'no such thing'],
    [401, 'permanent', 'no such thing: the service does not accept our credentials; renew authorizationFile'],
    [403, 'permanent', 'no such thing: the service does not accept our credentials; renew authorizationFile'],
    [404, 'permanent', 'no such thing: url leads to no service of this protocol'],
    [405, 'permanent', 'no such thing'],
    [408, 'transient', 'no such thing'],
    [409, 'conflict', 'no such thing'],
    [413, 'invalid', 'no such thing'],
    [422, 'invalid', 'no such thing'],
    [425, 'transient', 'no such thing'],
    [429, 'throttled', 'no such thing'],
    [500, 'transient', 'no such thing'],
    [501, 'permanent', 'no such thing'],
    [503, 'transient', 'no such thing'],
  ])('answered %i is %s', async (status, disposition, message) => {
    const { url } = await startService(json({ error: 'no such thing' }, status));
    const error = await rejection(providerOf(url).ping(signal));
    expect(dispositionOf(error)).toBe(disposition);
    expect(error.message).toBe(`GET ping: ${message}`);
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect (%i)', async (status) => {
    const aim = await startService(json({}));
    const { url } = await startService(json({}, status, { location: `${aim.url}/ping` }));
    const error = await rejection(providerOf(url).ping(signal));
    expect(dispositionOf(error)).toBe('permanent');
    expect(error.message).toBe(`GET ping: HTTP ${status}: redirects are not followed; let url name the service itself`);
    expect(aim.seen).toEqual([]);
  });

  it('waits as long as a throttle says', async () => {
    const { url } = await startService(json({}, 429, { 'retry-after': '7' }));
    const error = await rejection(providerOf(url).ping(signal));
    expect(error).toBeInstanceOf(ThrottledError);
    expect(error).toMatchObject({ retryAfterMs: 7_000, message: 'GET ping: HTTP 429' });
  });

  it.each([
    ['nothing', () => undefined],
    [
      'a head only',
      (response: { writeHead(status: number): { write(text: string): unknown } }) => response.writeHead(200).write('{'),
    ],
  ])('has a deadline where %s comes', async (_what, respond) => {
    const clock = new FakeClock();
    const service = await startService((response) => void respond(response));
    const failed = rejection(providerOf(service.url, { clock }).ping(signal));
    while (service.seen.length === 0) await new Promise(setImmediate);
    await clock.advance(10_000);
    const error = await failed;
    expect(dispositionOf(error)).toBe('transient');
    expect(error.message).toBe('GET ping: no answer within 10 s');
  });

  it('is given up when its caller leaves', async () => {
    const service = await startService(() => undefined);
    const caller = new AbortController();
    const failed = rejection(providerOf(service.url).ping(caller.signal));
    while (service.seen.length === 0) await new Promise(setImmediate);
    caller.abort();
    expect((await failed).message).toBe('GET ping: given up before it was answered');
  });

  it('reads no answer of more than 16 MiB', async () => {
    const { url } = await startService((response) => {
      response.writeHead(200).write('[');
      for (let piece = 0; piece < 17; piece += 1) response.write(' '.repeat(1024 * 1024));
      response.end(']');
    });
    const error = await rejection(providerOf(url).find('u-1', signal));
    expect(error.message).toBe('GET workloads: the answer is larger than 16777216 bytes: answer in pages');
  });

  it('quotes nothing of an answer that is not as documented', async () => {
    const service = await startService((response) => void response.end('<secret>'));
    const notJson = await rejection(providerOf(service.url).find('u-1', signal));
    expect(notJson.message).toBe('GET workloads: the answer is not JSON; does url name a service of this protocol?');
    service.answer(json({ workloads: [WORKLOAD, { ...WORKLOAD, phase: 'secret' }] }));
    const wrong = await rejection(providerOf(service.url).find('u-1', signal));
    expect(dispositionOf(wrong)).toBe('permanent');
    expect(wrong.message).toBe(
      'GET workloads: the answer is not as docs/web-provider.openapi.yaml says (at workloads.1.phase)',
    );
  });

  it('quotes of a refusal what is meant for people, and not too much of it', async () => {
    const service = await startService(json({ error: 'x'.repeat(5_000), detail: 'secret' }, 500));
    expect((await rejection(providerOf(service.url).ping(signal))).message).toBe(`GET ping: ${'x'.repeat(1_024)}`);
    service.answer((response) => void response.writeHead(500).end('<html>secret</html>'));
    expect((await rejection(providerOf(service.url).ping(signal))).message).toBe('GET ping: HTTP 500');
  });

  it('does not reach a name that stands for a metadata address', async () => {
    const lookup = guardedLookup((_host, _options, answer) =>
      answer(null, [{ address: '169.254.169.254', family: 4 }]),
    );
    const config = { url: 'https://pods.example.com/v1', timeoutMs: 1_000, node: {} };
    const client = new HttpClient({ config, clock: new FakeClock(), lookup });
    const error = await rejection(client.json({ method: 'GET', path: 'ping' }, signal));
    expect(dispositionOf(error)).toBe('permanent');
    expect(error.message).toContain('pods.example.com stands for 169.254.169.254');
  });

  it('whose kept connection was closed meanwhile goes out again', async () => {
    const service = await startService(json({}));
    const provider = providerOf(service.url);
    await provider.ping(signal);
    service.answer((response, { line }) => {
      const isFirst = service.seen.filter((call) => call.line === line).length === 2;
      if (isFirst) response.socket?.destroy();
      else response.end('{}');
    });
    await provider.ping(signal);
    expect(service.seen.map(({ line }) => line)).toEqual(['GET /v1/ping', 'GET /v1/ping', 'GET /v1/ping']);
  });
});

describe('the Authorization header', () => {
  const fileOf = async (content: string): Promise<string> => {
    const folder = await mkdtemp(path.join(tmpdir(), 'svk-web-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = path.join(folder, 'authorization');
    await writeFile(file, content);
    return file;
  };

  it('is what the file holds at that moment', async () => {
    const service = await startService(json({}));
    const authorizationFile = await fileOf('Bearer first\n');
    const provider = providerOf(service.url, { authorizationFile });
    await provider.ping(signal);
    await writeFile(authorizationFile, 'Bearer second');
    await provider.ping(signal);
    expect(service.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  it('is left out where no file is named', async () => {
    const service = await startService(json({}));
    await providerOf(service.url).ping(signal);
    expect(service.seen[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each(['', '\n', 'Bearer a\nX-Other: b', 'Bearer \u0000', 'Bearer \u00e9'])(
    'is not %j, which is not told either',
    async (content) => {
      const service = await startService(json({}));
      const authorizationFile = await fileOf(content);
      const error = await rejection(providerOf(service.url, { authorizationFile }).ping(signal));
      expect(dispositionOf(error)).toBe('permanent');
      expect(error.message).toBe(`authorizationFile ${authorizationFile} must hold one line, as: Bearer TOKEN`);
      expect(service.seen).toEqual([]);
    },
  );

  it('needs a file that can be read', async () => {
    const service = await startService(json({}));
    const error = await rejection(providerOf(service.url, { authorizationFile: '/nowhere/x' }).ping(signal));
    expect(dispositionOf(error)).toBe('permanent');
    expect(error.message).toBe('authorizationFile /nowhere/x cannot be read');
  });
});
