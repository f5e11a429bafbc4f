import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Session } from '@aws-sdk/client-ecs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { startExecWorld } from '../contract/ecs-emulator/exec-world.ts';
import { encryptSessions } from '../support/exec-key.ts';
import { startKmsProxy } from '../support/kms-proxy.ts';
import { waitFor } from '../support/local-cloud.ts';
import { sessionManagerPlugin } from '../support/ssm-assets.ts';

const plugin = await sessionManagerPlugin();

interface Terminal {
  readonly output: () => string;
  type(text: string): void;
  readonly ended: Promise<void>;
}

interface PluginOptions {
  readonly target?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** AWS's own client, as the AWS CLI starts it: at the end of its input it would leave, so that stays open. */
const startPlugin = (
  program: string,
  session: Session,
  endpoint: string,
  { target = 'ecs:pods_task_runtime', environment = {} }: PluginOptions = {},
): Terminal => {
  const request = JSON.stringify({ Target: target });
  const child = spawn(program, [JSON.stringify(session), 'eu-central-1', 'StartSession', '', request, endpoint], {
    env: { ...process.env, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', ...environment },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
  return {
    output: () => Buffer.concat(chunks).toString('latin1'),
    type: (text) => void child.stdin.write(text),
    ended: once(child, 'exit').then(() => undefined),
  };
};

describe.skipIf(plugin === undefined)('the official session-manager-plugin with the local ECS', () => {
  const program = plugin ?? '';

  it('shows a command’s output, a failed start, and types into a shell through loss and a broken connection', async () => {
    const { aws, exec } = await startExecWorld({ clock: new SystemClock() });
    const session = await exec(`sh -c 'echo "$GREETING"; stty size; exit 3'`);
    const hello = startPlugin(program, session, aws.url);
    const failing = startPlugin(program, await exec('/no/such/binary'), aws.url);
    await Promise.all([hello.ended, failing.ended]);
    expect(hello.output()).toContain('good day\r\n0 0\r\n');
    expect(hello.output()).toContain(`Exiting session with sessionId: ${session.sessionId}.`);
    expect(failing.output()).toContain(
      '\n----------ERROR-------\nUnable to start command: Failed to start pty: fork/exec /no/such/binary: no such file or directory\n',
    );

    aws.faults.inject({ kind: 'data-channel', drop: 0.1, duplicate: 0.1, reorder: 0.2 });
    const shell = startPlugin(program, await exec('/bin/sh'), aws.url);
    const shown = (text: string): Promise<void> =>
      waitFor(() => shell.output().includes(text), { withinMs: 60_000, what: `"${text}"` });
    // The plugin types nothing before the first output.
    await shown('Starting session');
    await waitFor(() => /[#$] $/.test(shell.output()), { withinMs: 60_000, what: 'the prompt' });
    for (let line = 1; line <= 12; line += 1) {
      // The plugin comes again, with a new token.
      if (line === 6) aws.faults.inject({ kind: 'data-channel-cut', count: 1 });
      shell.type(`echo answer-$((${line} * 111))\n`);
      await shown(`answer-${line * 111}\r\n`);
    }
    shell.type('stty size\n');
    await shown('100 300\r\n');
    shell.type('exit\n');
    await shell.ended;
  });

  it('types into a shell of a cluster that encrypts, through loss and a broken connection', async () => {
    const { aws, exec, task, taskArn } = await startExecWorld({ clock: new SystemClock() });
    const key = await encryptSessions(aws.url, 'pods');
    const proxy = await startKmsProxy(aws.url, 'eu-central-1');
    onTestFinished(() => {
      key.close();
      proxy.close();
    });
    const { runtimeId } = (await task(taskArn)).containers?.[0] ?? {};
    const target = `ecs:pods_${taskArn.split('/').at(-1)}_${runtimeId}`;
    const options = { target, environment: proxy.environment };
    aws.faults.inject({ kind: 'data-channel', drop: 0.05, duplicate: 0.1, reorder: 0.1 });
    const shell = startPlugin(program, await exec('/bin/sh'), aws.url, options);
    const shown = (text: string): Promise<void> =>
      waitFor(() => shell.output().includes(text), { withinMs: 60_000, what: `"${text}"` });
    await shown('This session is encrypted using AWS KMS.');
    await waitFor(() => /[#$] $/.test(shell.output()), { withinMs: 60_000, what: 'the prompt' });
    for (let line = 1; line <= 6; line += 1) {
      if (line === 4) aws.faults.inject({ kind: 'data-channel-cut', count: 1 });
      shell.type(`echo answer-$((${line} * 111))\n`);
      await shown(`answer-${line * 111}\r\n`);
    }
    shell.type('exit\n');
    await shell.ended;
    expect(proxy.calls()).toBe(1);

    aws.faults.clear();
    aws.faults.inject({ kind: 'access-denied', action: 'Decrypt' });
    const refused = startPlugin(program, await exec('/bin/sh'), aws.url, options);
    await refused.ended;
    expect(refused.output()).toContain('Fetching data key failed: Unable to retrieve data key, AccessDeniedException');
  });

  it('gets two megabytes whole, also where every tenth message is lost', async () => {
    const { aws, exec } = await startExecWorld({ clock: new SystemClock() });
    const outputOf = async (): Promise<string> => {
      const run = startPlugin(program, await exec(`sh -c 'stty -onlcr; seq 1 300000'`), aws.url);
      await run.ended;
      return run.output();
    };
    const numbers = Array.from({ length: 300_000 }, (_, index) => `${index + 1}\n`).join('');
    expect((await outputOf()).includes(numbers)).toBe(true);
    aws.faults.inject({ kind: 'data-channel', drop: 0.1 });
    expect((await outputOf()).includes(numbers)).toBe(true);
  });
});
