import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { isAlive } from '../../support/is-alive.ts';
import { startKubectl } from '../../support/kubectl-process.ts';
import type { StreamingWorld } from '../../support/streaming/streaming-world.ts';
import { randomlyFilled, sha256 } from '../../support/streaming/test-bytes.ts';
import { podOf, type Way } from './way.ts';

/** Commands without a terminal: exec, cp, attach. */
export const commandTests = (world: () => StreamingWorld, way: Way): void => {
  const { client, node, nodeName, command } = way;
  const pod = podOf(way);
  const exec = (argv: readonly string[], input?: Uint8Array | string, ...flags: readonly string[]) =>
    world().kubectl(['exec', ...flags, pod, '--', ...argv], {
      transport: client,
      ...(input !== undefined && { input }),
    });

  it.each([
    { script: 'exit 0', code: 0, result: 'exit 0' },
    { script: 'exit 3', code: 3, result: 'exit 3' },
    { script: 'kill -9 $$', code: 137, result: 'exit 137' },
  ])('X-01 ends with $code: $script', async ({ script, code, result }) => {
    expect((await exec(['sh', '-c', script])).code).toBe(code);
    expect(await node().sessions.next()).toMatchObject([
      { session: 'exec', user: 'kube-apiserver-kubelet-client', pod, program: 'sh', ...command, result },
    ]);
  });

  it('says what cannot be started', async () => {
    const { code, stderr } = await exec(['no-such-program-1', 'topsecret']);
    expect(code).toBe(1);
    expect(stderr).toContain('exec: "no-such-program-1": executable file not found in $PATH');
    expect(await node().sessions.next()).toMatchObject([{ ...command, result: 'failed: invalid' }]);
  });

  it('X-02 X-04 hands on every argument, and keeps the streams apart byte by byte', async () => {
    const script = 'printf "%s|" "$@"; printf "\\377\\000err" >&2';
    const { code, stdout, stderr } = await exec([
      'sh',
      '-c',
      script,
      'sh',
      'a  b',
      "it's",
      '$HOME',
      'line\nbreak',
      '',
      '-x',
    ]);
    expect([code, stdout.toString()]).toEqual([0, "a  b|it's|$HOME|line\nbreak||-x|"]);
    expect(stderr).toContain('\uFFFD\0err');
    await node().sessions.next();
  });

  it('X-05 ends the input', async () => {
    const { code, stdout } = await exec(['sha256sum'], randomlyFilled(5_000_000, 7), '-i');
    expect([code, stdout.toString().split(' ')[0]]).toEqual([0, sha256(randomlyFilled(5_000_000, 7))]);
    expect(await node().sessions.next()).toMatchObject([{ ...command, bytesIn: 5_000_000, result: 'exit 0' }]);
  });

  it('loses nothing of 32 MB at a reader that is slow', async () => {
    const child = startKubectl(['exec', pod, '--', 'head', '-c', '33554432', '/dev/zero'], {
      kubeconfig: world().plane.kubeconfig,
      transport: client,
    });
    const exited = once(child, 'exit');
    await delay(1_000);
    let length = 0;
    for await (const chunk of child.stdout) {
      const mebibytes = Math.floor(length / 1_048_576);
      length += (chunk as Buffer).length;
      if (Math.floor(length / 1_048_576) > mebibytes) await delay(50);
    }
    expect([length, await exited]).toEqual([33_554_432, [0, null]]);
    expect(await node().sessions.next()).toMatchObject([{ ...command, bytesOut: 33_554_432, result: 'exit 0' }]);
  });

  it('copies 50 MB there and back', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'svk-streaming-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const [from, there, back] = ['from', 'there', 'back'].map((name) =>
      path.join(folder, `${client}-${nodeName}-${name}`),
    );
    const bytes = randomBytes(50_000_000);
    await writeFile(from ?? '', bytes);
    const up = await world().kubectl(['cp', from ?? '', `${pod}:${there}`], { transport: client });
    expect([up.code, sha256(await readFile(there ?? ''))]).toEqual([0, sha256(bytes)]);
    const down = await world().kubectl(['cp', `${pod}:${there}`, back ?? ''], { transport: client });
    expect([down.code, sha256(await readFile(back ?? ''))]).toEqual([0, sha256(bytes)]);
    // One asks whether the target is a folder, one takes the bytes, one gives them.
    expect((await node().sessions.next(3)).map(({ transport }) => transport)).toEqual(Array(3).fill(command.transport));
  });

  it('X-09 attaches to the first process, and ends with it', async () => {
    const name = `attached-${client}-${nodeName}`;
    const script = 'while read line; do echo "got:$line"; [ "$line" = quit ] && exit 0; done';
    await world().addPod(node(), name, { command: ['sh', '-c', script], stdin: true });
    const { code, stdout } = await world().kubectl(['attach', '-i', name], { transport: client, input: 'one\nquit\n' });
    expect([code, stdout.toString()]).toEqual([0, 'got:one\ngot:quit\n']);
    expect(await node().sessions.next()).toMatchObject([{ session: 'attach', ...command, result: 'ended' }]);
  });

  it('X-11 ends the process of a client that leaves', async () => {
    const child = startKubectl(['exec', pod, '--', 'sh', '-c', 'echo $$; sleep 300; true'], {
      kubeconfig: world().plane.kubeconfig,
      transport: client,
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    expect(isAlive(Number(line))).toBe(true);
    child.kill('SIGKILL');
    await world().until('the process is gone', () => !isAlive(Number(line)));
    expect(await node().sessions.next()).toMatchObject([{ ...command, result: 'cut: the client has gone' }]);
  });
};
