import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { type ExampleService, startExampleService } from '../support/example-service.ts';
import { type ClientTransport, startKubectl } from '../support/kubectl-process.ts';
import { type StreamingNode, StreamingWorld } from '../support/streaming/streaming-world.ts';

let world: StreamingWorld;
let node: StreamingNode;
let service: ExampleService;

beforeAll(async () => {
  world = await StreamingWorld.start();
  node = await world.addNode('local');
  service = await startExampleService('of-this-test');
  const authorizationFile = path.join(world.plane.folder, 'authorization');
  await writeFile(authorizationFile, 'Bearer of-this-test\n');
  const config = { url: service.url, authorizationFile, node: { capacity: { cpu: 4, memory: '8Gi', pods: 10 } } };
  await world.addNodeOf('web', 'web', { config });
});
afterAll(async () => {
  await service?.stop();
  await world?.stop();
});

const logs = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await world.kubectl(['logs', ...args]);
  if (code !== 0) throw new Error(stderr);
  return stdout.toString('latin1');
};

describe('kubectl logs', () => {
  // Three lines, a pause in which a second begins, and three more: the last one without its end.
  const OLD = 'one\ntwo \xff\x00\nthree\n';
  const NEW = `${'y'.repeat(300_000)}\nfive\nsix`;
  const script = [
    'printf "one\\ntwo \\377\\000\\nthree\\n"',
    'sleep 3',
    'head -c 300000 /dev/zero | tr "\\000" y; printf "\\nfive\\nsix"',
    'sleep 300',
  ].join('; ');

  /** When the second half was begun, by the log's own account. */
  let since: string;

  beforeAll(async () => {
    await world.addPod(node, 'lines', { command: ['sh', '-c', script] });
    await world.until('all is printed', async () => (await logs('lines')).endsWith('six'));
    since = /^(\S+) y/m.exec(await logs('lines', '--timestamps'))?.[1] ?? '';
  });

  it('G-02 G-12 shows every byte', async () => {
    expect(await logs('lines')).toBe(OLD + NEW);
  });

  it.each([
    { args: ['--tail=0'], text: '' },
    { args: ['--tail=2'], text: 'five\nsix' },
    { args: ['--tail=5'], text: `two \xff\x00\nthree\n${NEW}` },
    { args: ['--tail=100'], text: OLD + NEW },
    { args: ['--limit-bytes=9'], text: 'one\ntwo \xff' },
    { args: ['--limit-bytes=5', '--tail=2'], text: 'five\n' },
    { args: ['--since=1h'], text: OLD + NEW },
    { args: ['--since-time=2001-01-01T00:00:00Z', '--tail=1'], text: 'six' },
  ])('G-02 takes $args', async ({ args, text }) => {
    expect(await logs('lines', ...args)).toBe(text);
  });

  it('G-02 counts the tail after since', async () => {
    const text = await logs('lines', `--since-time=${new Date(Date.parse(since)).toISOString().slice(0, 19)}Z`);
    expect(text).toBe(NEW);
    expect(await logs('lines', `--since-time=${since}`, '--tail=5')).toBe(NEW);
  });

  it('G-02 puts the time before each line', async () => {
    const text = await logs('lines', '--timestamps');
    const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z /;
    const lines = text.split('\n');
    expect(lines.every((line) => stamp.test(line))).toBe(true);
    expect(lines.map((line) => line.replace(stamp, '')).join('\n')).toBe(OLD + NEW);
  });

  it.each([
    { args: ['--tail=-5'], text: 'must be greater than or equal to -1' },
    {
      args: ['--since=1h', '--since-time=2001-01-01T00:00:00Z'],
      text: 'at most one of `sinceTime` or `sinceSeconds` may be specified',
    },
    { args: ['--previous'], text: 'previous terminated container "app" in pod "lines" not found' },
    { args: ['-c', 'other'], text: 'container other is not valid for pod lines' },
  ])('G-02 G-04 refuses $args', async ({ args, text }) => {
    const { code, stderr } = await world.kubectl(['logs', 'lines', ...args]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(text)]);
  });

  it('G-01 follows each line as it comes, until the container ends', async () => {
    await world.addPod(node, 'steps', {
      command: ['sh', '-c', 'for step in 1 2 3 4; do echo $step; sleep 1; done; printf end'],
    });
    const child = startKubectl(['logs', '-f', 'steps'], { kubeconfig: world.plane.kubeconfig });
    const exited = once(child, 'exit');
    const seen: { readonly text: string; readonly at: number }[] = [];
    for await (const chunk of child.stdout) seen.push({ text: String(chunk), at: Date.now() });
    expect(seen.map(({ text }) => text).join('')).toBe('1\n2\n3\n4\nend');
    expect((seen.at(-1)?.at ?? 0) - (seen[0]?.at ?? 0)).toBeGreaterThan(500);
    expect(await exited).toEqual([0, null]);
  });

  it('G-10 shows the run before, and only that', async () => {
    const mark = path.join(world.plane.folder, 'has-run');
    const script = `echo $$; [ -e ${mark} ] && sleep 300; touch ${mark}; exit 1`;
    await world.addPod(node, 'again', { command: ['sh', '-c', script] });
    await world.until('it runs again', async () => {
      const { stdout } = await world.kubectl(['get', 'pod', 'again', '-o', 'jsonpath={..restartCount} {..state}']);
      return stdout.toString().startsWith('1 {"running"');
    });
    const [previous, current] = [await logs('again', '--previous'), await logs('again')];
    expect([previous, current]).toEqual([expect.stringMatching(/^\d+\n$/), expect.stringMatching(/^\d+\n$/)]);
    expect(previous).not.toBe(current);
  });
});

describe('the kubelet API itself', () => {
  // The API server's proxy for nodes refuses addresses of the loopback interface.
  const call = async (method: string, asked: string): Promise<{ readonly status?: number; readonly body: string }> => {
    const { clientCertificate, clientKey } = await credentialsFromKubeconfig(world.plane.kubeconfig);
    const request = httpsRequest({
      host: '127.0.0.1',
      port: (await world.node('local')).status?.daemonEndpoints?.kubeletEndpoint?.Port,
      path: asked,
      method,
      cert: clientCertificate,
      key: clientKey,
      rejectUnauthorized: false,
      agent: false,
    });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { ...(response.statusCode && { status: response.statusCode }), body: await text(response) };
  };

  beforeAll(() => world.addPod(node, 'box'));

  it.each([
    { path: '/healthz', shows: /^ok$/ },
    { path: '/configz', shows: /^{"kubeletconfig":{"enableServer":true,/ },
    { path: '/pods', shows: /"kind":"PodList".*"name":"box"/s },
    { path: '/runningpods/', shows: /"kind":"PodList".*"name":"box"/s },
    { path: '/stats/summary', shows: /"podRef":{"name":"box"/ },
    { path: '/metrics', shows: /^# TYPE process_start_time_seconds gauge$/m },
    { path: '/metrics/resource', shows: /^container_cpu_usage_seconds_total{container="app",pod="box",/m },
    { path: '/metrics/cadvisor', shows: /^container_memory_working_set_bytes{container="app",pod="box",/m },
    { path: '/metrics/probes', shows: /^$/ },
  ])('A-11 answers $path', async ({ path: asked, shows }) => {
    expect(await call('GET', asked)).toEqual({ status: 200, body: expect.stringMatching(shows) });
  });

  it.each([
    { method: 'GET', path: '/nothing', status: 404 },
    { method: 'DELETE', path: '/pods', status: 405 },
    { method: 'GET', path: '/run/default/box/app?cmd=true', status: 405 },
    { method: 'POST', path: '/exec/default/box/app?command=true&output=1', status: 400 },
  ])('A-11 says $status to $method $path', async ({ method, path: asked, status }) => {
    expect(await call(method, asked)).toMatchObject({ status });
  });

  it('X-02 runs a command and answers what it printed', async () => {
    const query = new URLSearchParams({ command: 'sh' });
    for (const argument of ['-c', 'printf "%s|" "$@"', 'sh', 'a  b', "it's"]) query.append('command', argument);
    const answer = await call('POST', `/run/default/box/app?${query.toString()}`);
    expect(answer).toEqual({ status: 200, body: "a  b|it's|" });
    expect(await node.sessions.next()).toMatchObject([{ session: 'run', program: 'sh', result: 'exit 0' }]);
  });
});

describe.each<ClientTransport>(['websocket', 'spdy'])('a node whose provider cannot, asked by %s', (transport) => {
  const name = `plain-${transport}`;
  const WHY = 'is not supported on node web: its provider (web) cannot';

  beforeAll(async () => {
    const container = { image: 'none', command: ['sh', '-c', 'echo up; while sleep 1; do echo tick; done'] };
    await world.addPod({ ...node, name: 'web' }, name, container);
  });

  it.each([
    {
      args: ['exec', name, '--', 'ls'],
      text: `exec ${WHY} start commands in containers; read what the container prints with kubectl logs, or run the command as a pod of its own`,
    },
    {
      args: ['attach', '-i', name],
      text: `attach ${WHY} attach to containers; follow the output with kubectl logs -f`,
    },
    {
      args: ['port-forward', name, ':80'],
      text: `port-forward ${WHY} reach ports of pods; connect to the pod's own IP from inside its network`,
    },
  ])('X-08 X-09 says so: $args', async ({ args, text }) => {
    const { code, stderr } = await world.kubectl(args, { transport });
    expect([code, stderr]).toEqual([1, expect.stringContaining(text)]);
  });

  it('X-09 shows what is printed from now on to who attaches without input', async () => {
    const child = startKubectl(['attach', name], { kubeconfig: world.plane.kubeconfig, transport });
    let seen = '';
    child.stdout.on('data', (chunk) => {
      seen += String(chunk);
    });
    await world.until('a later line is there', () => seen.includes('tick'));
    child.kill('SIGINT');
    expect(seen).not.toContain('up');
  });
});
