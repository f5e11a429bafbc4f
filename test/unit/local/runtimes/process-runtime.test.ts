import { describe, expect, it, onTestFinished } from 'vitest';
import { ProcessRuntime } from '../../../../infra/local/runtimes/process/process-runtime.ts';
import type { ContainerSpec } from '../../../../infra/local/runtimes/runtime.ts';
import { isAlive } from '../../../support/is-alive.ts';
import { describeTaskRuntime, spec } from './runtime-contract.ts';

const shell = (script: string, changes: Partial<ContainerSpec> = {}): ContainerSpec =>
  spec({ entryPoint: ['/bin/sh'], command: ['-c', script], ...changes });

describeTaskRuntime('process', () => new ProcessRuntime(), {
  printsAndExits3: shell('echo hello; exit 3'),
  runs: shell('echo ready; exec sleep 600'),
  ignoresTerm: shell("trap '' TERM; echo ready; while :; do sleep 600; done"),
  cannotStart: spec({ command: ['no-such-command-anywhere'] }),
});

const outputOf = async (container: ContainerSpec, path?: string): Promise<string> => {
  const runtime = new ProcessRuntime(path);
  onTestFinished(() => runtime.close());
  const sandbox = await runtime.openTask();
  const chunks: Uint8Array[] = [];
  const running = await sandbox.start(container, (chunk) => chunks.push(chunk));
  await running.exited;
  return Buffer.concat(chunks).toString();
};

describe('a container as a process', () => {
  it('sees its own environment, PATH and HOME, and nothing else', async () => {
    const output = await outputOf(
      spec({ command: ['env'], environment: { A: '1', B: 'two words' } }),
      '/usr/bin:/bin:/home/me/node_modules/.bin',
    );
    expect(
      output
        .replace(/HOME=.*svk-task-\w+/, 'HOME=<scratch>')
        .trim()
        .split('\n')
        .sort(),
    ).toEqual(['A=1', 'B=two words', 'HOME=<scratch>', 'PATH=/usr/bin:/bin']);
  });

  it('may bring its own PATH', async () => {
    expect(await outputOf(spec({ command: ['/usr/bin/env'], environment: { PATH: '/nowhere' } }))).toContain(
      'PATH=/nowhere\n',
    );
  });

  it('works in a scratch directory, where its working directory is made', async () => {
    expect(await outputOf(spec({ command: ['pwd'], workingDirectory: '/srv/../app' }))).toMatch(
      /\/svk-task-\w+\/app\n$/,
    );
  });

  it('gets its arguments as they are, without a shell', async () => {
    expect(await outputOf(spec({ command: ['printf', '%s|', 'a b', '$HOME', '*'] }))).toBe('a b|$HOME|*|');
  });

  it('takes its descendants along when it ends', async () => {
    const output = await outputOf(shell('sleep 600 & echo $!; exit 0'));
    expect(isAlive(Number(output))).toBe(false);
  });

  it.each([
    {
      want: 'a command that is not in PATH',
      command: ['no-such-command'],
      text: 'exec: "no-such-command": executable file not found in $PATH',
    },
    {
      want: 'a file that is not there',
      command: ['/no/such'],
      text: 'exec: "/no/such": stat /no/such: no such file or directory',
    },
    { want: 'a directory', command: ['/etc'], text: 'exec: "/etc": permission denied' },
  ])('cannot start $want', async ({ command, text }) => {
    await expect(outputOf(spec({ command }))).rejects.toThrow(text);
  });

  it('is refused with volumes, by name', async () => {
    const mounts = [{ volume: 'v', path: '/v', readOnly: false }];
    await expect(outputOf(spec({ command: ['true'], mounts }))).rejects.toThrow(
      'container "app" mounts volumes, which the process runtime does not have: use a runtime with real containers',
    );
  });

  it('without a command is a placeholder that says so and ends well on SIGTERM', async () => {
    const runtime = new ProcessRuntime();
    onTestFinished(() => runtime.close());
    const sandbox = await runtime.openTask();
    let print: (text: string) => void = () => {};
    const printed = new Promise<string>((resolve) => {
      print = resolve;
    });
    const running = await sandbox.start(spec({ image: 'nginx' }), (chunk) => print(Buffer.from(chunk).toString()));
    expect(await printed).toBe(
      'container "app" names no command: this process stands for image nginx, which the process runtime cannot run. Give it a command, or use a runtime with real containers.\n',
    );
    running.terminate();
    expect(await running.exited).toEqual({ exitCode: 0 });
  });

  it('runs health checks beside it and ends them with the time-out', async () => {
    const runtime = new ProcessRuntime();
    onTestFinished(() => runtime.close());
    const sandbox = await runtime.openTask();
    const running = await sandbox.start(shell('exec sleep 600', { environment: { READY: '7' } }), () => {});
    const never = new AbortController().signal;
    expect(await running.exec(['/bin/sh', '-c', 'exit $READY'], never)).toBe(7);
    expect(await running.exec(['no-such-command'], never)).toBe(127);
    const limit = new AbortController();
    const slow = running.exec(['sleep', '600'], limit.signal);
    limit.abort();
    expect(await slow).toBeUndefined();
  });
});
