import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExecuteCommandCommand, StopTaskCommand } from '@aws-sdk/client-ecs';
import { ResumeSessionCommand, TerminateSessionCommand } from '@aws-sdk/client-ssm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { isAlive } from '../../support/is-alive.ts';
import { waitFor } from '../../support/local-cloud.ts';
import { startExecWorld } from './exec-world.ts';
import { memberOf, openSession, type SessionClient } from './session-client.ts';

const shown = (client: SessionClient, text: string): Promise<void> =>
  waitFor(async () => client.output().includes(text), { withinMs: 15_000, what: `the output "${text}"` });

describe('a session of ExecuteCommand', () => {
  it('shows what the command writes, then closes without telling how it ended', async () => {
    const { exec } = await startExecWorld();
    const session = await exec(`sh -c 'pwd; echo "$GREETING $TERM $LANG"; echo err >&2; exit 3'`);
    expect(session.sessionId).toMatch(/^ecs-execute-command-[0-9a-f]{17}$/);
    expect(session.streamUrl).toMatch(
      /^ws:\/\/127\.0\.0\.1:\d+\/v1\/data-channel\/ecs-execute-command-\w+\?role=publish_subscribe$/,
    );
    const client = await openSession(session);
    expect(await client.closed).toBe('');
    expect(client.output()).toMatch(/^\S*\/svk-task-\w+\/srv\r\ngood day xterm-256color C\.UTF-8\r\nerr\r\n$/);
    const [first] = client.messages;
    expect(first).toMatchObject({
      type: 'output_stream_data',
      sequence: 0,
      flags: 1,
      payloadType: 1,
      digestFits: true,
    });
    expect(client.messages.at(-1)).toMatchObject({ type: 'channel_closed', flags: 3, digestFits: true });
  });

  it('waits a second before the first output, which then comes in one piece', async () => {
    const { exec } = await startExecWorld({ clock: new SystemClock() });
    const startedAt = performance.now();
    const client = await openSession(await exec("sh -c 'echo a; sleep 0.2; echo b; sleep 3'"));
    await shown(client, 'a');
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    expect(client.messages[0]?.payload.toString()).toBe('a\r\nb\r\n');
  });

  it('has a terminal of no size until it is told one, and takes keys and new sizes', async () => {
    const { exec } = await startExecWorld();
    const client = await openSession(await exec("sh -c 'stty size; stty -echo; read line; stty size; echo got $line'"));
    await shown(client, '0 0\r\n');
    client.send('{"cols":132,"rows":43}', 3);
    client.send('a b\r');
    expect(await client.closed).toBe('');
    expect(client.output()).toBe('0 0\r\n43 132\r\ngot a b\r\n');
  });

  it('takes Ctrl-C, and bytes that are no text', async () => {
    const { exec } = await startExecWorld();
    const sleeping = await openSession(await exec("sh -c 'echo ready; sleep 600; echo never'"));
    await shown(sleeping, 'ready');
    sleeping.send('\u0003');
    expect(await sleeping.closed).toBe('');
    expect(sleeping.output()).toBe('ready\r\n^C');
    const raw = await openSession(await exec("sh -c 'stty raw -echo; echo ready; head -c 5 | od -An -tx1'"));
    await shown(raw, 'ready');
    raw.send(Buffer.from([0x00, 0xff, 0x0a, 0x04, 0xc3]));
    await raw.closed;
    expect(raw.output()).toContain(' 00 ff 0a 04 c3');
  });

  it('takes input in the order of its numbers and acknowledges what comes again', async () => {
    const { exec } = await startExecWorld();
    const client = await openSession(await exec("sh -c 'stty -echo; echo ready; read a; read b; echo $a-$b'"));
    await shown(client, 'ready');
    client.sendAs(1, 'two\r');
    client.sendAs(0, 'one\r');
    client.sendAs(0, 'one\r');
    await client.closed;
    expect(client.output()).toBe('ready\r\none-two\r\n');
    const acknowledged = client.messages
      .filter(({ type }) => type === 'acknowledge')
      .map((message) => [memberOf(message, 'AcknowledgedMessageSequenceNumber'), message.flags]);
    expect(acknowledged).toEqual([
      [1, 3],
      [0, 3],
      [0, 3],
    ]);
  });

  it.each([
    {
      want: 'a file that is not there',
      command: '/no/such/binary -x',
      output:
        '\n----------ERROR-------\nUnable to start command: Failed to start pty: fork/exec /no/such/binary: no such file or directory\n\n',
    },
    {
      want: 'a name that is not in PATH',
      command: 'no-such-command',
      output:
        '\n----------ERROR-------\nUnable to start command: Failed to start pty: exec: "no-such-command": executable file not found in $PATH\n\n',
    },
    {
      want: 'a folder',
      command: '/etc',
      output:
        '\n----------ERROR-------\nUnable to start command: Failed to start pty: fork/exec /etc: permission denied\n\n',
    },
    {
      want: 'an open quote',
      command: "echo 'x",
      output:
        '\n----------ERROR-------\nUnable to start command: Failed to parse commands input: EOF found when expecting closing quote\n\n',
    },
    {
      want: 'nothing but a comment',
      command: '# echo',
      output: 'Commands cannot be empty for session type InteractiveCommands',
    },
  ])('says why it could not start $want', async ({ command, output }) => {
    const { exec } = await startExecWorld();
    const client = await openSession(await exec(command));
    expect(await client.closed).toBe(output);
    expect(client.messages.filter(({ type }) => type === 'output_stream_data')).toEqual([]);
  });

  it('keeps back the last bytes of an unfinished character, which are lost with the command', async () => {
    const { exec } = await startExecWorld();
    const client = await openSession(await exec(String.raw`printf "A\\377\\376B\\303\\251C\\342\\202"`));
    await client.closed;
    expect(Buffer.from(client.output(), 'latin1').toString('hex')).toBe('41fffe42c3a943');
  });

  it('sends again what is not acknowledged, and ends all the same', async () => {
    const { exec } = await startExecWorld();
    const client = await openSession(await exec('echo hello'), { acknowledges: false });
    expect(await client.closed).toBe('');
    const copies = client.messages.filter(({ type }) => type === 'output_stream_data');
    expect(copies.length).toBeGreaterThan(2);
    expect(new Set(copies.map(({ id }) => id)).size).toBe(1);
    expect(client.output()).toBe('hello\r\n');
  });

  it('holds a command back whose output nobody takes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svk-exec-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'written');
    const write = `dd if=/dev/zero bs=65536 count=1 2>/dev/null; n=$((n+1)); echo $n >${file}`;
    const { exec } = await startExecWorld();
    const client = await openSession(await exec(`sh -c 'n=0; while :; do ${write}; done'`), { acknowledges: false });
    const written = (): Promise<string> => readFile(file, 'utf8').catch(() => '');
    let before = '';
    const stands = async (): Promise<boolean> => {
      const last = before;
      before = await written();
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return last !== '' && last === before;
    };
    await waitFor(stands, { what: 'the command to wait' });
    // Of 64 KiB each: 1 MiB, and what a busy machine reads before it comes to pause.
    expect(Number(before)).toBeLessThan(256);
    client.leave();
  }, 60_000);

  it('is complete through loss, repetition and reordering in both directions', async () => {
    const { aws, exec } = await startExecWorld();
    aws.faults.inject({ kind: 'data-channel', drop: 0.2, duplicate: 0.1, reorder: 0.2 });
    const client = await openSession(await exec("sh -c 'stty -echo; echo ready; read a; seq 1 20000; echo $a'"));
    await shown(client, 'ready');
    client.send('go');
    client.send('on\r');
    expect(await client.closed).toBe('');
    const numbers = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\r\n`).join('');
    expect(client.output()).toBe(`ready\r\n${numbers}goon\r\n`);
  });

  it('goes on with another connection, under a new token', async () => {
    const { aws, exec, ssm } = await startExecWorld();
    const session = await exec("sh -c 'stty -echo; echo ready; while read a; do echo got $a; done'");
    const first = await openSession(session);
    await shown(first, 'ready');
    aws.faults.inject({ kind: 'data-channel-cut', count: 1 });
    first.send('x\r');
    expect(await first.gone).toBe(1006);
    expect(await (await openSession(session)).gone).toBe(1008);
    const { StreamUrl, TokenValue } = await ssm.send(new ResumeSessionCommand({ SessionId: session.sessionId }));
    const second = await openSession({ streamUrl: StreamUrl, tokenValue: TokenValue });
    second.sendAs(1, 'y\r');
    await waitFor(async () => second.messages.some(({ payload }) => payload.toString().includes('got y\r\n')), {
      withinMs: 15_000,
      what: 'the answer',
    });
  });

  it('is closed to a wrong token, and to a client that sends something else first', async () => {
    const { exec } = await startExecWorld();
    const session = await exec('sleep 600');
    expect(await (await openSession({ ...session, tokenValue: 'wrong' })).gone).toBe(1008);
    await expect(openSession({ ...session, streamUrl: session.streamUrl?.replace(/-command-/, '-') })).rejects.toThrow(
      'Unexpected server response: 404',
    );
  });

  it('may be ended from outside, which kills its command', async () => {
    const { exec, ssm } = await startExecWorld();
    const session = await exec('sh -c \'echo $$; trap "" TERM HUP; while :; do sleep 600; done\'');
    const client = await openSession(session);
    await shown(client, '\r\n');
    const pid = Number.parseInt(client.output(), 10);
    expect(isAlive(pid)).toBe(true);
    await ssm.send(new TerminateSessionCommand({ SessionId: session.sessionId }));
    expect(await client.closed).toBe('');
    await waitFor(async () => !isAlive(pid), { withinMs: 15_000, what: 'the end of the command' });
    await ssm.send(new TerminateSessionCommand({ SessionId: session.sessionId }));
  });

  it('ends with its task', async () => {
    const { ecs, exec, taskArn } = await startExecWorld();
    const client = await openSession(await exec('sh -c \'echo $$; trap "" TERM HUP; while :; do sleep 600; done\''));
    await shown(client, '\r\n');
    const pid = Number.parseInt(client.output(), 10);
    await ecs.send(new StopTaskCommand({ cluster: 'pods', task: taskArn }));
    await client.closed;
    expect(isAlive(pid)).toBe(false);
  });

  it('starts its command without a client, too', async () => {
    const { ecs, exec, taskArn } = await startExecWorld();
    const mark = `svk-mark-${process.pid}-${taskArn.slice(-8)}`;
    await exec(`sh -c 'echo x >/tmp/${mark}'`);
    const session = await exec(`sh -c 'while ! test -e /tmp/${mark}; do sleep 0.1; done; rm /tmp/${mark}; echo seen'`);
    const client = await openSession(session);
    await client.closed;
    expect(client.output()).toBe('seen\r\n');
    await ecs.send(new ExecuteCommandCommand({ cluster: 'pods', task: taskArn, command: 'true', interactive: true }));
  });
});
