import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { KubeletResponse } from '../../../src/kubelet/http.ts';
import type { KubeletUpgrade } from '../../../src/kubelet/upgrade.ts';
import type { AttachQuery, ExecQuery } from '../../../src/model/remote-query.ts';
import { API_SERVER, bodyOf, KubeletWorld, requestOf } from './kubelet-world.ts';

const SPDY = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
const NOT_UPGRADED = { connection: 'keep-alive' };
const { signal } = new AbortController();

const ask = (
  world: KubeletWorld,
  url: string,
  { method = 'POST', headers = SPDY }: { method?: string; headers?: Record<string, string> } = {},
): Promise<KubeletResponse | KubeletUpgrade> =>
  world.upgrading(requestOf(method, url, { headers, clientCertificate: API_SERVER }));

const upgradeOf = async (answer: Promise<KubeletResponse | KubeletUpgrade>): Promise<KubeletUpgrade> => {
  const upgrade = await answer;
  if ('kind' in upgrade) return upgrade;
  throw new Error(`refused with ${upgrade.status}: ${await bodyOf(upgrade)}`);
};

const refusalOf = async (answer: Promise<KubeletResponse | KubeletUpgrade>): Promise<unknown> => {
  const refusal = await answer;
  if ('kind' in refusal) throw new Error('not refused');
  const status = JSON.parse(await bodyOf(refusal)) as { readonly reason: string; readonly message: string };
  return [refusal.status, status.reason, status.message];
};

/** A world with pod `web` running, whose provider remembers what it was asked to run. */
const withExec = async () => {
  const world = new KubeletWorld();
  const uid = world.addPod('web');
  const workloadId = await world.run(uid);
  const queries: ExecQuery[] = [];
  world.teach({
    exec: async (query) => {
      queries.push(query);
      return 3;
    },
  });
  return { world, uid, workloadId, queries };
};

describe('exec', () => {
  it.each([
    ['ls', '/bin'],
    ['sh', '-c', 'echo "a  b" | wc -c'],
    ["line\nbreak'", '$HOME', '', '\u00e9 \u{1F600}', 'a+b&c=d%20'],
  ])('X-02 hands over the arguments exactly: %j %j …', async (...command) => {
    const { world, workloadId, queries } = await withExec();
    const query = new URLSearchParams({ output: '1' });
    for (const argument of command) query.append('command', argument);
    const upgrade = await upgradeOf(ask(world, `/exec/default/web/app?${query.toString()}`));
    if (upgrade.kind !== 'remote-command') throw new Error(upgrade.kind);
    expect(await upgrade.run({ sizes: new PassThrough() }, signal)).toBe(3);
    expect(queries).toEqual([{ workloadId, container: 'app', command, tty: false }]);
  });

  it.each([
    { query: 'output=1', stdin: false, stdout: true, stderr: false, tty: false },
    { query: 'input=1&output=true&error=true', stdin: true, stdout: true, stderr: true, tty: false },
    { query: 'input=true&output=1&error=1&tty=1', stdin: true, stdout: true, stderr: false, tty: true },
    { query: 'input=yes&output=1&error=0&tty=false', stdin: false, stdout: true, stderr: false, tty: false },
  ])('reads the streams of $query', async ({ query, ...options }) => {
    const { world } = await withExec();
    expect(await upgradeOf(ask(world, `/exec/default/web/app?command=ls&${query}`))).toMatchObject({ options });
  });

  it.each([
    { method: 'POST', headers: SPDY },
    { method: 'GET', headers: { connection: 'keep-alive, Upgrade', upgrade: 'websocket' } },
  ])('X-01 takes $headers.upgrade by $method', async (request) => {
    const { world } = await withExec();
    expect((await upgradeOf(ask(world, '/exec/default/web/app?command=ls&output=1', request))).kind).toBe(
      'remote-command',
    );
  });

  it('tells who runs what where, and of the command only the program', async () => {
    const { world, uid } = await withExec();
    const { subject } = await upgradeOf(
      ask(world, '/exec/default/web/app?command=psql&command=-W&command=pw&output=1'),
    );
    expect(subject).toEqual({
      session: 'exec',
      user: 'kube-apiserver-kubelet-client',
      namespace: 'default',
      pod: 'web',
      podUid: uid,
      container: 'app',
      program: 'psql',
    });
  });

  it.each([
    {
      what: 'no stream',
      url: '/exec/default/web/app?command=ls',
      refusal: [400, 'BadRequest', 'you must specify at least 1 of stdin, stdout, stderr'],
    },
    {
      what: 'a terminal without any stream but stderr',
      url: '/exec/default/web/app?command=ls&error=1&tty=1',
      refusal: [400, 'BadRequest', 'you must specify at least 1 of stdin, stdout, stderr'],
    },
    {
      what: 'no command',
      url: '/exec/default/web/app?output=1',
      refusal: [400, 'BadRequest', 'you must specify a command'],
    },
    {
      what: 'X-02 an argument that would end early',
      url: '/exec/default/web/app?command=ls&command=a%00b&output=1',
      refusal: [400, 'BadRequest', 'the command holds a NUL character, which no program can be given'],
    },
    {
      what: 'X-02 an argument that is no text',
      url: '/exec/default/web/app?command=rm&command=caf%e9&output=1',
      refusal: [400, 'BadRequest', 'the command is no UTF-8: only that is passed on as it is'],
    },
    {
      what: 'another pod',
      url: '/exec/default/none/app?command=ls&output=1',
      refusal: [404, 'NotFound', 'pod does not exist'],
    },
    {
      what: 'another UID',
      url: '/exec/default/web/0a-1b/app?command=ls&output=1',
      refusal: [404, 'NotFound', 'pod does not exist'],
    },
    {
      what: 'a pod of another node',
      url: '/exec/default/elsewhere/app?command=ls&output=1',
      refusal: [404, 'NotFound', 'pod does not exist'],
    },
    {
      what: 'another container',
      url: '/exec/default/web/other?command=ls&output=1',
      refusal: [404, 'NotFound', 'container not found ("other")'],
    },
    {
      what: 'a container that has not started',
      url: '/exec/default/waiting/app?command=ls&output=1',
      refusal: [404, 'NotFound', 'container not found ("app")'],
    },
    {
      what: 'X-12 a container that has ended',
      url: '/exec/default/ended/app?command=ls&output=1',
      refusal: [404, 'NotFound', 'container not found ("app"): it has ended with exit code 7'],
    },
  ])('refuses $what', async ({ url, refusal }) => {
    const { world } = await withExec();
    await world.run(world.addPod('elsewhere', { node: 'vk-b' }));
    world.addPod('waiting');
    const ended = world.addPod('ended');
    const id = await world.run(ended);
    world.provider.exit(id, 7);
    await world.remember(ended, 1, id);
    expect(await refusalOf(ask(world, url))).toEqual(refusal);
  });

  it('takes the UID of the pod, where the path names it', async () => {
    const { world, uid } = await withExec();
    await upgradeOf(ask(world, `/exec/default/web/${uid}/app?command=ls&output=1`));
  });

  it.each([NOT_UPGRADED, { connection: 'Upgrade', upgrade: 'h2c' }, { upgrade: 'SPDY/3.1' }])(
    'refuses a request that cannot be upgraded: %j',
    async (headers) => {
      const { world } = await withExec();
      expect(await refusalOf(ask(world, '/exec/default/web/app?command=ls&output=1', { headers }))).toEqual([
        400,
        'BadRequest',
        'unable to upgrade: missing upgrade headers in request',
      ]);
    },
  );

  it('is refused before anything is looked up where the provider has nothing of the kind', async () => {
    const world = new KubeletWorld();
    expect(await refusalOf(ask(world, '/exec/default/none/app?command=ls&output=1'))).toEqual([
      501,
      'NotImplemented',
      'exec is not supported on node vk-a: its provider (fake) cannot start commands in containers; read what the container prints with kubectl logs, or run the command as a pod of its own',
    ]);
  });
});

describe('attach', () => {
  it('joins the first process, and succeeds when that ends', async () => {
    const { world, workloadId } = await withExec();
    const queries: AttachQuery[] = [];
    world.teach({
      attach: async (query) => {
        queries.push(query);
      },
    });
    const upgrade = await upgradeOf(ask(world, '/attach/default/web/app?input=1&output=1&tty=1'));
    if (upgrade.kind !== 'remote-command') throw new Error(upgrade.kind);
    expect(await upgrade.run({ sizes: new PassThrough() }, signal)).toBe(0);
    expect(queries).toEqual([{ workloadId, container: 'app', tty: true }]);
  });

  it('X-09 without input is the log from now on where the provider cannot attach', async () => {
    const { world, workloadId } = await withExec();
    const asked: unknown[] = [];
    world.provider.logs = async function* (query: unknown) {
      asked.push(query);
      yield Buffer.from('now\n');
    } as typeof world.provider.logs;
    const upgrade = await upgradeOf(ask(world, '/attach/default/web/app?output=1&error=1'));
    if (upgrade.kind !== 'remote-command') throw new Error(upgrade.kind);
    const stdout = new PassThrough();
    expect(await upgrade.run({ stdout, sizes: new PassThrough() }, signal)).toBe(0);
    expect(stdout.read()).toEqual(Buffer.from('now\n'));
    expect(asked).toEqual([{ workloadId, container: 'app', follow: true, timestamps: false, tailLines: 0 }]);
  });

  it('X-09 with input says that it is not there', async () => {
    const { world } = await withExec();
    expect(await refusalOf(ask(world, '/attach/default/web/app?input=1&output=1'))).toEqual([
      501,
      'NotImplemented',
      'attach is not supported on node vk-a: its provider (fake) cannot attach to containers; follow the output with kubectl logs -f',
    ]);
  });
});

describe('port-forward', () => {
  it('dials the ports of the run that is there', async () => {
    const { world, workloadId, uid } = await withExec();
    const dialled: unknown[] = [];
    world.teach({
      connect: async (query) => {
        dialled.push(query);
        return new PassThrough();
      },
    });
    for (const url of ['/portForward/default/web', `/portForward/default/web/${uid}`]) {
      const upgrade = await upgradeOf(ask(world, url));
      if (upgrade.kind !== 'port-forward') throw new Error(upgrade.kind);
      await upgrade.dial(80, signal);
    }
    expect(dialled).toEqual([
      { workloadId, port: 80 },
      { workloadId, port: 80 },
    ]);
  });

  it('X-08 says 501 where it is not supported, never 404', async () => {
    const { world } = await withExec();
    expect(await refusalOf(ask(world, '/portForward/default/none'))).toEqual([
      501,
      'NotImplemented',
      "port-forward is not supported on node vk-a: its provider (fake) cannot reach ports of pods; connect to the pod's own IP from inside its network",
    ]);
  });

  it.each([
    { url: '/portForward/default/none', refusal: [404, 'NotFound', 'pod does not exist'] },
    { url: '/portForward/default/waiting', refusal: [404, 'NotFound', 'pod "waiting" is not running'] },
  ])('refuses $url', async ({ url, refusal }) => {
    const { world } = await withExec();
    world.addPod('waiting');
    world.teach({ connect: async () => new PassThrough() });
    expect(await refusalOf(ask(world, url))).toEqual(refusal);
  });
});
