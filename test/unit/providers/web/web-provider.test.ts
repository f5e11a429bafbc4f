import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { dispositionOf, InvalidError, NotFoundError } from '../../../../src/core/errors.ts';
import type { Pod } from '../../../../src/model/kubernetes.ts';
import type { LaunchResult } from '../../../../src/model/launch.ts';
import type { Workload } from '../../../../src/model/workload.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { json, providerOf, startService, WORKLOAD } from './stub-service.ts';

const { signal } = new AbortController();
const TOKEN = { podUid: 'u-1', attempt: 1, try: 1 };
const POD: Pod = {
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'u-1',
    resourceVersion: '7',
    managedFields: [{}],
    labels: { a: 'b' },
  },
  spec: { containers: [{ name: 'main', image: 'x' }] },
  status: { phase: 'Pending' },
};
const SOURCES = {
  node: 'web',
  environment: { main: { env: [{ name: 'KEY', value: 's3cr3t', origin: 'secret' as const }] } },
};

const preparedOf = (provider: ReturnType<typeof providerOf>) => {
  const preparation = provider.prepare(POD, SOURCES);
  if (!preparation.ok) throw new Error('refused');
  return preparation.prepared;
};

describe('a launch', () => {
  it('is prepared by a request with everything, and rendered without secrets', async () => {
    const service = await startService(json({ ok: true, preparation: 'p-1' }));
    const provider = providerOf(service.url);
    const request = await provider.provision(preparedOf(provider), TOKEN, signal);
    expect(request).toEqual({ body: '{"preparation":"p-1","token":{"attempt":1,"podUid":"u-1","try":1}}' });
    expect(service.seen.map(({ line }) => line)).toEqual(['POST /v1/prepare']);
    expect(JSON.parse(service.seen[0]?.body ?? '')).toEqual({
      node: 'web',
      pod: { metadata: { name: 'web', namespace: 'shop', uid: 'u-1', labels: { a: 'b' } }, spec: POD.spec },
      environment: { main: { env: [{ name: 'KEY', value: 's3cr3t', origin: 'secret' }] } },
    });
  });

  it('is refused with every problem the service finds', async () => {
    const problems = [
      { field: 'spec.containers[0].image', message: 'not here' },
      { field: 'spec.volumes[0]', message: 'no volumes' },
    ];
    const { url } = await startService(json({ ok: false, problems }));
    const provider = providerOf(url);
    const refused = provider.provision(preparedOf(provider), TOKEN, signal);
    await expect(refused).rejects.toThrow(InvalidError);
    await expect(refused).rejects.toMatchObject({
      problems,
      message: 'spec.containers[0].image: not here; spec.volumes[0]: no volumes',
    });
  });

  const launch = async (...answer: Parameters<typeof json>): Promise<LaunchResult> =>
    providerOf((await startService(json(...answer))).url).launch({ body: '{}' }, signal);

  it('answers what the service says', async () => {
    expect(await launch({ kind: 'started', workload: { ...WORKLOAD, more: 'left out' } })).toEqual({
      kind: 'started',
      workload: WORKLOAD,
    });
    const refused = { kind: 'refused', cause: 'quota', final: true, message: 'ten at most' } as const;
    expect(await launch(refused)).toEqual(refused);
  });

  it.each<[string, unknown, number, LaunchResult['kind'], string?]>([
    ['an answer that is not as documented', { kind: 'started' }, 200, 'unknown'],
    ['an answer that says it is unknown itself', { kind: 'unknown', message: 'x' }, 200, 'unknown'],
    ['500', {}, 500, 'unknown'],
    ['504', {}, 504, 'unknown'],
    ['408', {}, 408, 'unknown'],
    ['a throttle', {}, 429, 'refused', 'throttled'],
    ['a redirect', {}, 307, 'refused', 'configuration'],
    ['401', {}, 401, 'refused', 'configuration'],
    ['404', {}, 404, 'refused', 'configuration'],
    ['422', {}, 422, 'refused', 'configuration'],
  ])('reads %s as what it says', async (_what, body, status, kind, cause) => {
    const result = await launch(body, status);
    expect(result.kind).toBe(kind);
    if (result.kind === 'refused') expect([result.cause, result.final]).toEqual([cause, false]);
  });

  it('reads an answer that is not JSON as no answer', async () => {
    const service = await startService((response) => void response.end('started!'));
    expect((await providerOf(service.url).launch({ body: '{}' }, signal)).kind).toBe('unknown');
  });

  it('that found nobody listening was not sent', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    await once(server, 'close');
    const port = typeof address === 'object' ? address?.port : 0;
    const result = await providerOf(`http://127.0.0.1:${port}`).launch({ body: '{}' }, signal);
    expect(result).toMatchObject({ kind: 'refused', cause: 'configuration', final: false });
  });

  it('is unknown after its deadline, and sent once', async () => {
    const clock = new FakeClock();
    const service = await startService(json({}));
    const provider = providerOf(service.url, { clock });
    await provider.ping(signal);
    service.answer(() => undefined);
    const launching = provider.launch({ body: '{}' }, signal);
    while (service.seen.length < 2) await new Promise(setImmediate);
    await clock.advance(10_000);
    expect(await launching).toEqual({ kind: 'unknown', message: 'POST launch: no answer within 10 s' });
    service.answer((response) => void response.socket?.destroy());
    expect((await provider.launch({ body: '{}' }, signal)).kind).toBe('unknown');
    expect(service.seen.map(({ line }) => line)).toEqual(['GET /v1/ping', 'POST /v1/launch', 'POST /v1/launch']);
  });
});

describe('reading workloads', () => {
  it('asks for a hundred at once', async () => {
    const service = await startService((response, { body }) => {
      response.end(body.replace('{"ids":', '{"workloads":[],"missing":'));
    });
    const ids = Array.from({ length: 230 }, (_, index) => `w-${index}`);
    expect(await providerOf(service.url).describe(ids, signal)).toEqual({ workloads: [], missing: ids });
    expect(service.seen.map(({ body }) => body.split(',').length)).toEqual([100, 100, 30]);
  });

  it('takes an id the service says nothing of for neither there nor missing', async () => {
    const { url } = await startService(json({ workloads: [WORKLOAD], missing: [] }));
    await expect(providerOf(url).describe(['w-1', 'w-2'], signal)).rejects.toThrow(
      'POST describe: an id is neither in workloads nor in missing',
    );
  });

  it('leaves out what nobody asked for', async () => {
    const other = { ...WORKLOAD, id: 'w-9', podUid: 'u-9' };
    const service = await startService(json({ workloads: [WORKLOAD, other], missing: ['w-8'] }));
    const provider = providerOf(service.url);
    expect(await provider.describe(['w-1'], signal)).toEqual({ workloads: [WORKLOAD], missing: [] });
    service.answer(json({ workloads: [WORKLOAD, other] }));
    expect(await provider.find('u-1', signal)).toEqual([WORKLOAD]);
  });

  const listed = async (provider: ReturnType<typeof providerOf>, stopped: boolean): Promise<readonly Workload[]> => {
    const all: Workload[] = [];
    for await (const workload of provider.list({ stopped }, signal)) all.push(workload);
    return all;
  };

  it('turns every page', async () => {
    const pages: Record<string, unknown> = {
      'GET /v1/workloads?stopped=true': { workloads: [WORKLOAD], next: 'two & more' },
      'GET /v1/workloads?stopped=true&page=two+%26+more': { workloads: [{ ...WORKLOAD, id: 'w-2', phase: 'stopped' }] },
    };
    const service = await startService((response, { line }) => void response.end(JSON.stringify(pages[line])));
    expect((await listed(providerOf(service.url), true)).map(({ id }) => id)).toEqual(['w-1', 'w-2']);
  });

  it('does not turn in a circle', async () => {
    const { url } = await startService(json({ workloads: [], next: 'again' }));
    await expect(listed(providerOf(url), false)).rejects.toThrow('next names a page that was read before');
  });

  it('takes a workload without a pod for nobody’s', async () => {
    const { podUid: _podUid, ...stranger } = WORKLOAD;
    const { url } = await startService(json({ workloads: [stranger] }));
    expect(await listed(providerOf(url), false)).toEqual([{ ...stranger, podUid: undefined }]);
  });
});

describe('stop, logs and stats', () => {
  it('takes a workload nobody knows for stopped', async () => {
    const service = await startService(json({}, 404));
    await providerOf(service.url).stop('w-1', { graceSeconds: 30, reason: 'gone' }, signal);
    expect(service.seen).toMatchObject([
      { line: 'POST /v1/stop', body: '{"id":"w-1","graceSeconds":30,"reason":"gone"}' },
    ]);
  });

  it('takes an empty answer to a stop', async () => {
    const { url } = await startService((response) => void response.writeHead(204).end());
    await expect(providerOf(url).stop('w-1', { graceSeconds: 0, reason: 'x' }, signal)).resolves.toBeUndefined();
  });

  const QUERY = { workloadId: 'w/1', container: 'main', follow: true, timestamps: false };

  const textOf = async (bytes: AsyncIterable<Uint8Array>): Promise<string> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  it('hands every option of a log on', async () => {
    const service = await startService((response) => void response.end('one\ntwo\n'));
    const query = { ...QUERY, tailLines: 0, limitBytes: 9, sinceTime: '2030-01-01T00:00:00.5Z' };
    expect(await textOf(providerOf(service.url).logs(query, signal))).toBe('one\ntwo\n');
    expect(service.seen[0]?.line).toBe(
      'GET /v1/logs?id=w%2F1&container=main&follow=true&timestamps=false&tailLines=0&limitBytes=9&sinceTime=2030-01-01T00%3A00%3A00.5Z',
    );
  });

  it('finds no log of a container that has not started', async () => {
    const { url } = await startService(json({}, 404));
    await expect(textOf(providerOf(url).logs(QUERY, signal))).rejects.toThrow(NotFoundError);
  });

  it('does not take a log that is cut for one that has ended', async () => {
    const { url } = await startService((response) => {
      response.writeHead(200).write('one\n', () => response.socket?.destroy());
    });
    const error = await textOf(providerOf(url).logs(QUERY, signal)).catch((reason: unknown) => reason);
    expect(dispositionOf(error)).toBe('transient');
    expect(error).toMatchObject({ message: expect.stringContaining('GET logs: ') });
  });

  it('ends a followed log when its reader leaves, however long it has been', async () => {
    const clock = new FakeClock();
    const service = await startService((response) => void response.writeHead(200).write('one\n'));
    const reader = new AbortController();
    const iterator = providerOf(service.url, { clock }).logs(QUERY, reader.signal)[Symbol.asyncIterator]();
    expect(Buffer.from((await iterator.next()).value ?? '').toString()).toBe('one\n');
    await clock.advance(3_600_000);
    const next = iterator.next();
    reader.abort();
    expect((await next).done).toBe(true);
  });

  it('has figures where the service has', async () => {
    const container = { name: 'main', startedAt: 1, at: 2, cpu: { usageCoreNanoSeconds: 3 } };
    const figures = { workloadId: 'w-1', podUid: 'u-1', startedAt: 1, containers: [container] };
    const service = await startService(json({ workloads: [figures] }));
    expect(await providerOf(service.url).stats(signal)).toEqual([figures]);
    service.answer(json({}, 404));
    await expect(providerOf(service.url).stats(signal)).rejects.toThrow(NotFoundError);
  });
});
