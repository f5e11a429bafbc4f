import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasKubectl } from '../support/kubectl.ts';
import { buildBundles, type RunningCloud, startLocalCloud, waitFor } from '../support/local-cloud.ts';
import { SHELL_IN_TMUX, useShellInTmux } from '../support/shell-in-tmux.ts';
import { TmuxWindow } from '../support/tmux-window.ts';
import { hasEngine } from './support/engine.ts';
import { makeImages } from './support/images.ts';
import { leftovers } from './support/leftovers.ts';

describe.skipIf(!hasEngine || !hasKubectl())('a person with kubectl and a container engine', () => {
  let cloud: RunningCloud;
  let stopped = false;

  beforeAll(async () => {
    await makeImages();
    await buildBundles();
    cloud = await startLocalCloud(['--runtime', 'docker']);
  });

  afterAll(async () => {
    if (!stopped) await cloud.stop();
  });

  const containers = async (): Promise<readonly string[]> =>
    (await leftovers()).filter((name) => name.startsWith('container'));

  it('is told that real containers run', () => {
    expect(cloud.output()).toMatch(/^runtime {5}docker: real containers by the engine \S+ at \S+$/m);
  });

  it('applies hello.yaml, reaches it at its address, reads its log as it comes, and deletes it with its containers', async () => {
    await cloud.kubectl('apply', '-f', 'examples/hello.yaml');
    await cloud.kubectl('wait', '--for=condition=Ready', 'pod/hello', '--timeout=60s');
    const wide = await cloud.kubectl('get', 'pods', '-o', 'wide', '--no-headers');
    expect(wide).toMatch(/^hello\s+1\/1\s+Running\s+0\s+\S+\s+1[079]\d*(\.\d+){3}\s+fargate/);
    expect(await containers()).toHaveLength(2);

    const follow = spawn('kubectl', ['--kubeconfig', cloud.kubeconfig, 'logs', '-f', 'hello']);
    let log = '';
    follow.stdout.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
    await waitFor(() => (log.match(/^tick/gm)?.length ?? 0) >= 4, { what: 'the fourth tick' });
    follow.kill();
    expect(log).toMatch(/^hello from hello on fargate\ntick 1\ntick 2\n/);

    await cloud.kubectl('delete', 'pod', 'hello', '--timeout=60s');
    await waitFor(async () => (await containers()).length === 0, { what: 'the end of the containers' });
  });

  it('gets commands, a terminal and files of a container by kubectl svk', async () => {
    await cloud.kubectl('apply', '-f', 'examples/hello.yaml');
    await cloud.kubectl('wait', '--for=condition=Ready', 'pod/hello', '--timeout=60s');
    const [plugins, remote] = [path.join(cloud.directory, 'plugins'), '/tmp/copy'];
    await mkdir(plugins);
    await symlink(path.resolve('src/cli/svk.mjs'), path.join(plugins, 'kubectl-svk'));
    const env = {
      PATH: `${plugins}:${process.env['PATH']}`,
      HOME: process.env['HOME'] ?? '',
      KUBECONFIG: cloud.kubeconfig,
    };
    const authority = `--certificate-authority=${path.join(cloud.directory, 'kubelet-ca.crt')}`;
    const svk = async (...args: readonly string[]) => {
      const child = spawn('kubectl', ['svk', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      const exited = once(child, 'close') as Promise<[number | null]>;
      const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
      return { code, stdout, stderr };
    };
    const script = 'echo "a  b"; echo err >&2; exit 3';
    const [failed, missing] = await Promise.all([
      svk('exec', authority, 'hello', '--', 'sh', '-c', script),
      svk('exec', authority, 'hello', '--', 'no-such-program-1'),
    ]);
    expect(failed).toEqual({ code: 3, stdout: 'a  b\n', stderr: 'err\n' });
    expect(missing.code).not.toBe(0);
    expect(missing.stderr).toContain('exec: "no-such-program-1": executable file not found in $PATH');

    const [there, back] = ['there', 'back'].map((name) => path.join(cloud.directory, name)) as [string, string];
    const bytes = randomBytes(1_000_000);
    await writeFile(there, bytes);
    expect(await svk('cp', authority, there, `hello:${remote}`)).toMatchObject({ code: 0 });
    expect(await svk('cp', authority, `hello:${remote}`, back)).toMatchObject({ code: 0 });
    expect((await readFile(back)).equals(bytes)).toBe(true);

    const command = ['kubectl', 'svk', 'exec', '-it', authority, 'hello', '--', ...SHELL_IN_TMUX];
    const window = await TmuxWindow.open(command, { columns: 101, rows: 31, env });
    onTestFinished(() => window.close());
    await useShellInTmux(window);
  });

  it('sees an image that cannot be pulled as Kubernetes says it', async () => {
    await cloud.kubectl('run', 'none', '--image=127.0.0.1:1/none:1', '--restart=Never', '--overrides', TOLERATES);
    const waiting = '{.status.containerStatuses[0].state.waiting.reason}';
    await waitFor(
      async () =>
        /PullBackOff|ErrImagePull/.test(await cloud.kubectl('get', 'pod', 'none', '-o', `jsonpath=${waiting}`)),
      { what: 'the failed pull' },
    );
    await cloud.kubectl('delete', 'pod', 'none', '--timeout=60s');
  });

  it('sees a pod that was killed for its memory', async () => {
    await cloud.kubectl('apply', '-f', 'test/docker/manifests/out-of-memory.yaml');
    const terminated = '{.status.containerStatuses[0].state.terminated.reason} {.status.phase}';
    await waitFor(
      async () => (await cloud.kubectl('get', 'pod', 'hungry', '-o', `jsonpath=${terminated}`)) === 'OOMKilled Failed',
      { what: 'OOMKilled' },
    );
    await cloud.kubectl('delete', 'pod', 'hungry', '--timeout=60s');
  });

  it('leaves nothing in the engine with Ctrl-C, whatever runs', async () => {
    await cloud.kubectl('apply', '-f', 'examples/hello.yaml');
    await cloud.kubectl('wait', '--for=condition=Ready', 'pod/hello', '--timeout=60s');
    stopped = true;
    expect(await cloud.stop()).toBe(0);
    expect(await leftovers()).toEqual([]);
  });
});

const TOLERATES = JSON.stringify({
  spec: { tolerations: [{ key: 'virtual-kubelet.io/provider', operator: 'Exists' }] },
});
