import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DockerRuntime } from '../../infra/local/runtimes/docker/docker-runtime.ts';
import { forwardedPorts } from '../support/forwarded-ports.ts';
import { hasKubectl } from '../support/kubectl.ts';
import { kubectlInTmux } from '../support/kubectl-in-tmux.ts';
import { type KubectlAnswer, startKubectl } from '../support/kubectl-process.ts';
import { SHELL_IN_TMUX, useShellInTmux } from '../support/shell-in-tmux.ts';
import { type StreamingNode, StreamingWorld } from '../support/streaming/streaming-world.ts';
import { sha256 } from '../support/streaming/test-bytes.ts';
import { startTasks, type Tasks } from '../upstream-e2e/tasks.ts';
import { address, hasEngine } from './support/engine.ts';
import { makeBareImage, makeUserImage } from './support/images.ts';

const NODE = 'containers';
const USER_IMAGE = 'svk-test/user:1';
const BARE_IMAGE = 'svk-test/bare:1';

describe.skipIf(!hasEngine || !hasKubectl())('kubectl, a real API server, and pods that are real containers', () => {
  let tasks: Tasks;
  let world: StreamingWorld;
  let node: StreamingNode;

  beforeAll(async () => {
    await Promise.all([makeUserImage(USER_IMAGE), makeBareImage(BARE_IMAGE, ['sleep', 'echo', 'false', 'cat'])]);
    [world, tasks] = await Promise.all([
      StreamingWorld.start({ controllers: false }),
      startTasks(NODE, { runtime: await DockerRuntime.start(address) }),
    ]);
    node = await world.addNodeOf('fargate', NODE, {
      config: tasks.settings,
      // Nobody is there to sign a certificate of its own.
      flags: { kubeconfig: world.plane.kubeconfig },
      environment: { ...tasks.environment, SVK_TASK_ROLE_ARN: 'arn:aws:iam::123456789012:role/exec' },
    });
    const serve = ['sh', '-c', 'httpd -p 8080 -h /srv; exec sleep 3600'];
    const talk = 'until [ -e /tmp/go ]; do echo tick; sleep 0.3; done; echo out; sleep 1; echo err >&2; sleep 1';
    await Promise.all([
      world.addPod(node, 'box', { image: USER_IMAGE, command: serve }),
      world.addPod(node, 'bare', { image: BARE_IMAGE, command: ['/bin/sleep', '3600'] }),
      world.addPod(node, 'talks', { image: USER_IMAGE, command: ['sh', '-c', talk] }, { restartPolicy: 'Never' }),
    ]);
  });

  afterAll(async () => {
    await world?.stop();
    await tasks?.close();
  });

  const exec = (
    pod: string,
    command: readonly string[],
    { flags = [], input }: { readonly flags?: readonly string[]; readonly input?: Uint8Array | string } = {},
  ): Promise<KubectlAnswer> =>
    world.kubectl(['exec', ...flags, pod, '--', ...command], { ...(input !== undefined && { input }) });

  it.concurrent.each([
    { script: 'exit 0', code: 0 },
    { script: 'exit 3', code: 3 },
    { script: 'kill -9 $$', code: 137 },
  ])('X-01 exec ends with $code: $script', async ({ script, code }) => {
    expect((await exec('box', ['sh', '-c', script])).code).toBe(code);
  });

  it.concurrent('says what cannot be started', async () => {
    const { code, stdout, stderr } = await exec('box', ['no-such-program-1']);
    expect([code, stdout.length]).toEqual([1, 0]);
    expect(stderr).toContain('exec: "no-such-program-1": executable file not found in $PATH');
  });

  it.concurrent('X-02 X-04 hands on every argument, and keeps the streams apart byte by byte', async () => {
    const words = ['a  b', "it's", '$HOME', 'line\nbreak', '', '-x', '{{x}}'];
    const script = 'printf "%s|" "$@"; printf "\\377\\000err" >&2';
    const { code, stdout, stderr } = await exec('box', ['sh', '-c', script, 'sh', ...words]);
    expect([stderr, code, stdout.toString()]).toEqual(['\uFFFD\0err', 0, `${words.join('|')}|`]);
  });

  it.concurrent('X-05 hands bytes on as they are, both ways, and the end of the input', async () => {
    const bytes = randomBytes(300_000);
    const { code, stdout } = await exec('box', ['cat'], { flags: ['-i'], input: bytes });
    expect([code, sha256(stdout)]).toEqual([0, sha256(bytes)]);
  });

  it.concurrent('runs as root, whatever the user of the image', async () => {
    const { stdout } = await exec('box', ['sh', '-c', 'id -u; stat -c %u /proc/1; id -u app']);
    expect(stdout.toString()).toBe('0\n1000\n1000\n');
  });

  it.concurrent('kubectl cp carries a megabyte there and back', async () => {
    const [there, back] = ['there', 'back'].map((name) => path.join(world.plane.folder, name)) as [string, string];
    const bytes = randomBytes(1_000_000);
    await writeFile(there, bytes);
    expect((await world.kubectl(['cp', there, 'box:/tmp/copy'])).code).toBe(0);
    const { stdout } = await exec('box', ['sha256sum', '/tmp/copy']);
    expect(stdout.toString()).toBe(`${sha256(bytes)}  /tmp/copy\n`);
    expect((await world.kubectl(['cp', 'box:/tmp/copy', back])).code).toBe(0);
    expect(sha256(await readFile(back))).toBe(sha256(bytes));
  });

  it.concurrent('X-09 attach shows what the container writes until it ends, and takes no input', async () => {
    const refused = await world.kubectl(['attach', '-i', 'talks'], { input: 'x' });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('leave out -i')]);
    const child = startKubectl(['attach', 'talks'], { kubeconfig: world.plane.kubeconfig });
    const exited = once(child, 'exit');
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('tick');
    await exec('talks', ['touch', '/tmp/go']);
    const rest: string[] = [];
    for await (const line of { [Symbol.asyncIterator]: () => lines }) if (line !== 'tick') rest.push(line);
    expect([await exited, rest]).toEqual([
      [0, null],
      ['out', 'err'],
    ]);
  });

  it.concurrent('X-08 forwards connections to the address of the task', async () => {
    const child = startKubectl(['port-forward', 'box', ':8080', ':9'], { kubeconfig: world.plane.kubeconfig });
    try {
      const ports = await forwardedPorts(child.stdout, 2);
      await expect(fetch(`http://127.0.0.1:${ports.get(9)}/`)).rejects.toThrow('fetch failed');
      const answers = await Promise.all(
        Array.from({ length: 10 }, async () => (await fetch(`http://127.0.0.1:${ports.get(8080)}/`)).text()),
      );
      expect(answers).toEqual(Array(10).fill('hello from the image\n'));
    } finally {
      child.kill('SIGINT');
    }
  });

  it.concurrent('X-03 runs a command of an image without a shell, and says what is lost', async () => {
    const [printed, fed, missing] = await Promise.all([
      exec('bare', ['echo', 'a  b']),
      exec('bare', ['cat'], { flags: ['-i'], input: 'x' }),
      exec('bare', ['no-such-program-1']),
    ]);
    expect([printed.code, printed.stdout.toString()]).toEqual([1, 'a  b\n']);
    expect(printed.stderr).toContain('its exit code is unknown: the image has no /bin/sh');
    expect([fed.code, fed.stderr]).toEqual([1, expect.stringContaining('the image has no /bin/sh, without which')]);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining('exec: "no-such-program-1": executable file not found in $PATH'),
    ]);
  });

  it('kubectl exec -it is a terminal in tmux', async () => {
    await useShellInTmux(
      await kubectlInTmux(['exec', '-it', 'box', '--', ...SHELL_IN_TMUX], { kubeconfig: world.plane.kubeconfig }),
    );
  });

  it('leaves no process behind in a container that waits for no children of others', async () => {
    await exec('box', ['cat'], { flags: ['-i'], input: 'x' });
    const { stdout } = await exec('box', ['ps', '-o', 'ppid,comm']);
    const orphans = stdout.toString().match(/^ +1 .*$/gm);
    expect(orphans).toEqual([expect.stringMatching(/^ +1 httpd$/)]);
  });

  it('X-11 ends the command of a tmux window that is closed', async () => {
    const command = ['sh', '-c', 'echo up; sleep 98765; true'];
    const window = await kubectlInTmux(['exec', '-it', 'box', '--', ...command], {
      kubeconfig: world.plane.kubeconfig,
    });
    const runs = async (): Promise<boolean> =>
      (await exec('box', ['ps', '-o', 'args'])).stdout.toString().includes('\nsleep 98765\n');
    await window.shows(/^up$/m);
    await world.until('the command runs', runs);
    await window.kill();
    await world.until('the command is gone', async () => !(await runs()));
  });
});
