import { describe, expect, it } from 'vitest';
import { InvalidError, PermanentError, TransientError } from '../../../src/core/errors.ts';
import type { LogQuery } from '../../../src/model/log-query.ts';
import { bodyOf, KubeletWorld } from './kubelet-world.ts';

const PATH = '/containerLogs/default/web/app';

/** A world with pod `web` running, whose provider answers `chunks` and remembers what it was asked. */
const streaming = async (chunks: (query: LogQuery, signal: AbortSignal) => AsyncIterable<Uint8Array>) => {
  const world = new KubeletWorld();
  const uid = world.addPod('web');
  const workloadId = await world.run(uid);
  const queries: LogQuery[] = [];
  world.provider.logs = ((query: LogQuery, signal: AbortSignal) => {
    queries.push(query);
    return chunks(query, signal);
  }) as typeof world.provider.logs;
  return { world, workloadId, queries };
};

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));

describe('container logs', () => {
  it('streams the output of the running container, byte for byte', async () => {
    const bytes = [Uint8Array.of(0xff, 0x00, 0x0a), new Uint8Array(), Uint8Array.of(0x80)];
    const { world } = await streaming(async function* () {
      yield* bytes;
    });
    const response = await world.get(PATH);
    expect(response.status).toBe(200);
    expect(response.headers).toEqual({ 'content-type': 'text/plain' });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
    expect(chunks).toEqual([Uint8Array.of(0xff, 0x00, 0x0a), Uint8Array.of(0x80)]);
  });

  it('hands every option to the provider', async () => {
    const { world, workloadId, queries } = await streaming(async function* () {});
    await bodyOf(await world.get(`${PATH}?tailLines=0&limitBytes=10&sinceSeconds=20&timestamps=true`));
    expect(queries).toEqual([
      {
        workloadId,
        container: 'app',
        follow: false,
        timestamps: true,
        tailLines: 0,
        limitBytes: 10,
        sinceTime: '2029-12-31T23:59:40.000Z',
      },
    ]);
  });

  it('reads the run before for previous, and only that', async () => {
    const world = new KubeletWorld();
    const uid = world.addPod('web');
    const first = await world.run(uid, 1);
    world.provider.print(first, 'app', 'first run');
    world.provider.exit(first, 1);
    await world.remember(uid, 1, first);
    world.provider.print(await world.run(uid, 2), 'app', 'second run');

    expect(await bodyOf(await world.get(PATH))).toBe('second run\n');
    expect(await bodyOf(await world.get(`${PATH}?previous=true`))).toBe('first run\n');
  });

  it('never shows the log of an older pod of the same name', async () => {
    const world = new KubeletWorld();
    const old = world.addPod('web');
    world.provider.print(await world.run(old), 'app', 'old');
    world.kubernetes.deletePod('default', 'web', 0);
    world.addPod('web');

    const response = await world.get(PATH);
    expect(response.status).toBe(400);
    expect(await bodyOf(response)).toBe('container "app" in pod "web" is waiting to start: ContainerCreating');
  });

  it('asks the provider where the row is gone', async () => {
    const world = new KubeletWorld();
    const uid = world.addPod('web');
    world.provider.print(await world.run(uid), 'app', 'still here');
    world.podStore.clear();
    expect(await bodyOf(await world.get(PATH))).toBe('still here\n');
  });

  it.each([
    {
      want: 'a faulty option',
      url: `${PATH}?tailLines=-1&limitBytes=0`,
      status: 400,
      body: 'invalid log options: tailLines: Invalid value: "-1": must be greater than or equal to 0; limitBytes: Invalid value: "0": must be greater than 0',
    },
    {
      want: 'a pod that is not there',
      url: '/containerLogs/default/nobody/app',
      status: 404,
      body: 'pod "nobody" does not exist',
    },
    {
      want: 'a pod of another namespace',
      url: '/containerLogs/other/web/app',
      status: 404,
      body: 'pod "web" does not exist',
    },
    {
      want: 'a pod of another node',
      url: '/containerLogs/default/elsewhere/app',
      status: 404,
      body: 'pod "elsewhere" does not exist',
    },
    {
      want: 'a container the pod has not',
      url: '/containerLogs/default/web/nothing',
      status: 404,
      body: 'container "nothing" not found in pod "web"',
    },
    {
      want: 'previous without one',
      url: `${PATH}?previous=true`,
      status: 400,
      body: 'previous terminated container "app" in pod "web" not found',
    },
  ])('refuses $want', async ({ url, status, body }) => {
    const world = new KubeletWorld();
    await world.run(world.addPod('web'));
    await world.run(world.addPod('elsewhere', { node: 'vk-b' }));
    const response = await world.get(url);
    expect(response.status).toBe(status);
    expect(await bodyOf(response)).toBe(body);
  });

  it('finds init and ephemeral containers', async () => {
    const world = new KubeletWorld();
    world.kubernetes.addPod({
      metadata: { name: 'many' },
      spec: {
        nodeName: 'vk-a',
        containers: [{ name: 'app' }],
        initContainers: [{ name: 'setup' }],
        ephemeralContainers: [{ name: 'debug' }],
      },
    });
    for (const container of ['setup', 'debug']) {
      expect((await world.get(`/containerLogs/default/many/${container}`)).status).toBe(400);
    }
  });

  it.each([
    { error: new InvalidError('no such stream'), status: 400, body: 'no such stream' },
    {
      error: new PermanentError('log group /svk/dev is missing: deploy again'),
      status: 500,
      body: 'log group /svk/dev is missing: deploy again',
    },
    { error: new Error('secret detail'), status: 500, body: 'internal error' },
  ])('answers $status where the provider fails before the first byte', async ({ error, status, body }) => {
    const { world } = await streaming(async function* () {
      await Promise.reject(error);
      yield new Uint8Array();
    });
    const response = await world.get(PATH);
    expect(response.status).toBe(status);
    expect(await bodyOf(response)).toBe(body);
  });

  it('answers 500 where the API server does not answer', async () => {
    const world = new KubeletWorld();
    world.kubernetes.failNext('pods.get', new TransientError('GET pods: no answer'));
    const response = await world.get(PATH);
    expect(response.status).toBe(500);
    expect(response.body).toBe('GET pods: no answer');
  });

  it('fails, rather than ends, where the provider fails later', async () => {
    const { world } = await streaming(async function* () {
      yield Uint8Array.of(1);
      throw new TransientError('lost');
    });
    await expect(bodyOf(await world.get(PATH))).rejects.toThrow('lost');
  });

  it('follows: the headers come within a second of silence, the lines when they come', async () => {
    let print: (line: string) => void = () => undefined;
    const { world } = await streaming(async function* () {
      yield Buffer.from(
        await new Promise<string>((resolve) => {
          print = resolve;
        }),
      );
    });
    let answered = false;
    const answer = world.get(`${PATH}?follow=true`).then((response) => {
      answered = true;
      return response;
    });
    await world.clock.advance(999);
    expect(answered).toBe(false);
    await world.clock.advance(1);
    const body = bodyOf(await answer);
    print('late line\n');
    expect(await body).toBe('late line\n');
  });

  it('G-08 ends a followed log cleanly when its time is over', async () => {
    const end = new AbortController();
    const { world } = await streaming(async function* (_, signal) {
      yield Buffer.from('one\n');
      await untilAborted(signal);
    });
    const body = bodyOf(await world.get(`${PATH}?follow=true`, { signal: end.signal }));
    end.abort(new Error('the time is over'));
    expect(await body).toBe('one\n');
  });

  it('lets go of the provider when nobody reads on', async () => {
    let ended = false;
    const { world } = await streaming(async function* () {
      try {
        for (;;) yield Uint8Array.of(1);
      } finally {
        ended = true;
      }
    });
    const response = await world.get(PATH);
    for await (const _ of response.body as AsyncIterable<Uint8Array>) break;
    expect(ended).toBe(true);
  });
});
