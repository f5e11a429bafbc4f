import { randomBytes } from 'node:crypto';
import { StopTaskCommand } from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../../support/is-alive.ts';
import { waitFor } from '../../support/local-cloud.ts';
import { taskRoleArn } from '../ecs-emulator/exec-world.ts';
import { container } from '../ecs-emulator/harness.ts';
import { aContainer } from './a-container.ts';

const shell = (script: string): readonly string[] => ['sh', '-c', script];

describe('exec into a task', () => {
  it('X-04: keeps stdout, stderr and the exit code apart', async () => {
    const { run } = await aContainer();
    const { exit, out, err } = await run(shell('echo out; echo err >&2; exit 3'));
    expect({ exit, out: out.toString(), err: err.toString() }).toEqual({ exit: 3, out: 'out\n', err: 'err\n' });
  });

  it.each([
    { want: 'success', script: 'exit 0', exit: 0 },
    { want: 'the largest code', script: 'exit 255', exit: 255 },
    { want: '128 + 15 for SIGTERM', script: 'kill -TERM $$', exit: 143 },
    { want: '128 + 9 for SIGKILL', script: 'kill -KILL $$', exit: 137 },
    { want: "the program's own 127", script: 'exit 127', exit: 127 },
  ])('answers $want', async ({ script, exit }) => {
    const { run } = await aContainer();
    expect(await run(shell(script))).toEqual({ exit, out: Buffer.alloc(0), err: Buffer.alloc(0) });
  });

  it('X-02: hands over the arguments exactly, to the program and not to the shell', async () => {
    const { run } = await aContainer();
    const words = [
      'a  b',
      "it's",
      '$HOME `id`',
      'new\nline',
      '',
      '"q"',
      '\\',
      '# no comment',
      '{{x}}',
      'ü€𝄞',
      '*',
      '~',
    ];
    const { out } = await run(['printf', '<%s>', ...words]);
    expect(out.toString()).toBe(words.map((word) => `<${word}>`).join(''));
    const echo = await run(['echo', String.raw`a\tb`, '-n']);
    expect(echo.out.toString()).toBe('a\\tb -n\n');
  });

  it('gives a command without -t no terminal, and without -i no input', async () => {
    const { run } = await aContainer();
    const look = 'for fd in 0 1 2; do [ -t $fd ] && echo $fd is a terminal; done; cat; echo end';
    expect(await run(shell(look))).toMatchObject({ exit: 0, out: Buffer.from('end\n') });
  });

  it('runs in the directory and with the environment of the container', async () => {
    const { run } = await aContainer();
    expect((await run(shell('pwd; echo $GREETING'))).out.toString()).toMatch(/\/srv\ngood day\n$/);
  });

  it.each([
    { command: ['no-such-command'], message: 'exec: "no-such-command": executable file not found in $PATH' },
    { command: ['cd', '/'], message: 'exec: "cd": executable file not found in $PATH' },
    { command: ['/etc/passwd'], message: 'exec: "/etc/passwd": executable file not found in $PATH' },
  ])('says that $command is no program', async ({ command, message }) => {
    const { run } = await aContainer();
    expect(await run(command)).toMatchObject({ exit: `InvalidError: ${message}` });
    expect(await run(command, { tty: true })).toMatchObject({ exit: `InvalidError: ${message}` });
  });
});

describe('input of a command without a terminal', () => {
  it.each([
    { want: 'a line', input: 'hi\n' },
    { want: 'nothing', input: '' },
    {
      want: 'bytes that a terminal would take for its own',
      input: Buffer.from(Array.from({ length: 256 }, (_, n) => n)),
    },
  ])('X-05: ends where $want ends', async ({ input }) => {
    const { run } = await aContainer();
    expect(await run(['cat'], { input })).toEqual({ exit: 0, out: Buffer.from(input), err: Buffer.alloc(0) });
  });

  it('goes in and out byte for byte', async () => {
    const { run } = await aContainer();
    const input = randomBytes(300_000);
    const { exit, out, err } = await run(shell('tee /dev/stderr'), { input });
    expect(exit).toBe(0);
    expect(out.equals(input)).toBe(true);
    expect(err.equals(input)).toBe(true);
  });

  it('may be more than the command wants', async () => {
    const { run } = await aContainer();
    expect(await run(shell('head -c 5; exit 4'), { input: Buffer.alloc(500_000, 'x') })).toMatchObject({
      exit: 4,
      out: Buffer.from('xxxxx'),
    });
    expect(await run(shell('exit 6'), { open: true })).toMatchObject({ exit: 6 });
  });

  it('comes as it is typed, and output as it is written', async () => {
    const { run } = await aContainer();
    const { exit, out } = await run(shell('while read line; do echo "got $line"; done; echo end'), {
      open: true,
      act: async ({ stdin, out }) => {
        for (const line of ['one', 'two']) {
          stdin.write(`${line}\n`);
          await waitFor(async () => out().includes(`got ${line}\n`), { withinMs: 15_000, what: `the echo of ${line}` });
        }
        stdin.end();
      },
    });
    expect({ exit, out: out.toString() }).toEqual({ exit: 0, out: 'got one\ngot two\nend\n' });
  });

  it('that breaks off is not taken for the whole of it', async () => {
    const { run } = await aContainer();
    const { exit } = await run(['cat'], {
      open: true,
      act: async ({ stdin, out }) => {
        stdin.write('half');
        await waitFor(async () => out().toString() === 'half', { withinMs: 15_000, what: 'the first half' });
        stdin.destroy(new Error('gone'));
      },
    });
    expect(exit).toBe("TransientError: the caller's input broke off");
  });
});

describe('output', () => {
  it('is complete, and byte for byte, whatever an agent does to text', async () => {
    const { run } = await aContainer();
    const odd = Buffer.from('\ufffd\ufffd\0\r\n\x1e\x04\x11\x13;%\x1b[1m\ufffd', 'utf8');
    const input = Buffer.concat([odd, Buffer.from([0xef, 0xbf, 0xbd, 0xe2, 0x82])]);
    expect(await run(['cat'], { input })).toEqual({ exit: 0, out: input, err: Buffer.alloc(0) });
  });

  it('waits for a reader that is slow', async () => {
    const { run } = await aContainer();
    const { exit, out } = await run(shell('seq 1 400000; echo end >&2'), { slowMs: 20 });
    expect(exit).toBe(0);
    expect(out.toString()).toBe(Array.from({ length: 400_000 }, (_, n) => `${n + 1}\n`).join(''));
  });

  it('is complete through loss, repetition and reordering in both directions', async () => {
    const { world, run } = await aContainer();
    world.aws.faults.inject({ kind: 'data-channel', drop: 0.2, duplicate: 0.1, reorder: 0.2 });
    const input = randomBytes(60_000);
    const { exit, out, err } = await run(shell('tee /dev/stderr; exit 7'), { input });
    expect(exit).toBe(7);
    expect(out.equals(input)).toBe(true);
    expect(err.equals(input)).toBe(true);
  });
});

describe('a terminal', () => {
  it('has its size from the start, one stream, and an exit code', async () => {
    const { run } = await aContainer();
    const ended = await run(shell('stty size; echo err >&2; exit 4'), {
      tty: true,
      sizes: [{ columns: 132, rows: 43 }],
    });
    expect(ended).toEqual({ exit: 4, out: Buffer.from('43 132\r\nerr\r\n'), err: Buffer.alloc(0) });
  });

  it('takes keys, Ctrl-C and the end of input', async () => {
    const { run } = await aContainer();
    const shown = (out: () => Buffer, text: string): Promise<void> =>
      waitFor(async () => out().includes(text), { withinMs: 15_000, what: text });
    const { exit, out } = await run(['env', 'PS1=$ ', 'sh'], {
      tty: true,
      open: true,
      act: async ({ stdin, out }) => {
        await shown(out, '$ ');
        stdin.write('echo $((6*7))\r');
        await shown(out, '\n42\r\n');
        stdin.write('sleep 600\r');
        await shown(out, 'sleep 600\r\n');
        stdin.write('\x03');
        await shown(out, '^C');
        stdin.write('exit 9\r');
      },
    });
    expect(exit).toBe(9);
    expect(out.toString()).not.toContain('\x1e');
    expect(await run(['cat'], { tty: true, input: 'typed\n' })).toMatchObject({
      exit: 0,
      out: Buffer.from('typed\r\ntyped\r\n'),
    });
  });
});

describe('a caller that leaves', () => {
  it.each([{ tty: false }, { tty: true }])('ends the command (tty: $tty)', async ({ tty }) => {
    const { run } = await aContainer();
    const leaving = new AbortController();
    let pid = 0;
    const { exit } = await run(shell('echo $$; exec sleep 600'), {
      tty,
      open: true,
      signal: leaving.signal,
      act: async ({ out }) => {
        await waitFor(async () => /^\d+\r?\n/.test(out().toString()), { withinMs: 15_000, what: 'the pid' });
        pid = Number.parseInt(out().toString(), 10);
        expect(isAlive(pid)).toBe(true);
        leaving.abort(new Error('the caller has left'));
      },
    });
    expect(exit).toBe('Error: the caller has left');
    await waitFor(async () => !isAlive(pid), { withinMs: 15_000, what: 'the end of the command' });
  });
});

describe('X-12: exec is refused', () => {
  it('where the task was started without it', async () => {
    const { world, run } = await aContainer();
    const workloadId = await world.run();
    await waitFor(async () => (await world.task(workloadId)).lastStatus === 'RUNNING', { withinMs: 15_000 });
    expect((await run(['true'], { workloadId })).exit).toMatch(
      /^InvalidError: exec is off for this pod: .* svk.dev\/exec: "false"/,
    );
  });

  it('where the root is read-only, with the reason of the agent and what to check', async () => {
    const { world, run } = await aContainer();
    await world.register({ taskRoleArn, containerDefinitions: [container({ readonlyRootFilesystem: true })] });
    const workloadId = await world.run({ enableExecuteCommand: true });
    const agent = async (): Promise<unknown> =>
      (await world.task(workloadId)).containers?.[0]?.managedAgents?.[0]?.lastStatus;
    await waitFor(async () => (await agent()) === 'STOPPED', { withinMs: 15_000 });
    expect((await run(['true'], { workloadId })).exit).toMatch(
      /^InvalidError: the exec agent in container "app" does not run \(The agent cannot write to the read-only root file system\.\): check that the task role allows ssmmessages:CreateControlChannel/,
    );
  });

  it('where the task, or the container, does not run', async () => {
    const { world, run } = await aContainer();
    expect((await run(['true'], { container: 'other' })).exit).toBe(
      'NotFoundError: container "other" is not in the running task of the pod',
    );
    await world.ecs.send(new StopTaskCommand({ cluster: 'pods', task: world.taskArn }));
    await waitFor(async () => (await world.task(world.taskArn)).lastStatus === 'STOPPED', { withinMs: 15_000 });
    expect((await run(['true'])).exit).toMatch(/^NotFoundError: /);
    expect((await run(['true'], { workloadId: `${world.taskArn.slice(0, -4)}0000` })).exit).toMatch(/^NotFoundError: /);
  });

  it('where we may not, naming the permission', async () => {
    const { world, run } = await aContainer();
    world.aws.faults.inject({ kind: 'access-denied', action: 'ExecuteCommand' });
    expect((await run(['true'])).exit).toMatch(/^PermanentError: .*allow ecs:ExecuteCommand/);
  });

  it('while its task stops under it, without a hang', async () => {
    const { world, run } = await aContainer();
    const { exit } = await run(shell('echo up; sleep 600'), {
      act: async ({ out }) => {
        await waitFor(async () => out().includes('up'), { withinMs: 15_000, what: 'the command' });
        await world.ecs.send(new StopTaskCommand({ cluster: 'pods', task: world.taskArn }));
      },
    });
    expect(exit).toMatch(/^TransientError: the exec session ended before its command did: the container has stopped/);
  });
});

describe('the upgrade of the stream', () => {
  it('is signed where that is demanded, and the address of a brokered session is', async () => {
    const { world, fargate, run } = await aContainer({ requireSignedUpgrades: true });
    expect(await run(['echo', 'signed'])).toMatchObject({ exit: 0, out: Buffer.from('signed\n') });
    const query = {
      workloadId: world.taskArn,
      container: 'app',
      command: ['cat'],
      tty: false,
      stdin: true,
      direct: false,
    };
    const session = await fargate.openSession(query, new AbortController().signal);
    expect(session.sessionId).toMatch(/^ecs-execute-command-/);
    expect(session.streamUrl).toMatch(/[?&]X-Amz-Credential=local%2F\d+%2Feu-central-1%2Fssmmessages%2Faws4_request/);
    expect(session.streamUrl).toMatch(/[?&]X-Amz-Expires=60&/);
    expect(JSON.parse(session.framing)).toMatchObject({ kind: 'wrapped', tty: false, stdin: true });
  });
});
