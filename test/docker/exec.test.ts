import { type ContainerDefinition, ExecuteCommandCommand, type Session } from '@aws-sdk/client-ecs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { killExec, newExecMark } from '../../infra/local/runtimes/docker/kill-exec.ts';
import { openSession, type SessionClient } from '../contract/ecs-emulator/session-client.ts';
import { waitFor } from '../support/local-cloud.ts';
import { type DockerWorld, type RunTask, shell, startDockerWorld } from './support/docker-world.ts';
import { engine, hasEngine } from './support/engine.ts';
import { makeImages } from './support/images.ts';

const taskRoleArn = 'arn:aws:iam::123456789012:role/exec';
const patience = { withinMs: 60_000 };

const shown = (client: SessionClient, text: string): Promise<void> =>
  waitFor(() => client.output().includes(text), { ...patience, what: `the output "${text}"` });

describe.skipIf(!hasEngine)('ExecuteCommand in a real container', () => {
  let world: DockerWorld;

  beforeAll(async () => {
    await makeImages();
    world = await startDockerWorld();
  });

  afterAll(() => world.close());

  const runTask = async (changes: Partial<ContainerDefinition> = {}): Promise<RunTask> => {
    const run = await world.run(
      [shell('trap "exit 0" TERM; while :; do sleep 1; done', { user: '1000', stopTimeout: 2, ...changes })],
      { taskRoleArn },
      { enableExecuteCommand: true },
    );
    onTestFinished(() => run.stop());
    const up = async (): Promise<boolean> =>
      (await run.describe()).containers?.[0]?.managedAgents?.[0]?.lastStatus === 'RUNNING';
    await waitFor(up, { ...patience, what: 'the execute command agent' });
    return run;
  };

  const exec = async ({ arn }: RunTask, command: string): Promise<Session> => {
    const request = { cluster: 'pods', task: arn, container: 'app', command, interactive: true };
    const { session } = await world.ecs.send(new ExecuteCommandCommand(request));
    if (!session) throw new Error('no session was answered');
    return session;
  };

  it('runs inside, as root whatever the user, with the container’s environment and directory', async () => {
    const run = await runTask({ workingDirectory: '/srv', environment: [{ name: 'GREETING', value: 'good day' }] });
    const script = 'id -u; pwd; cat index.html; echo "$GREETING|$TERM|$LANG|$PATH"; echo err >&2; stty size';
    const client = await openSession(await exec(run, `sh -c '${script}'`));
    expect(await client.closed).toBe('');
    expect(client.output().split('\r\n')).toEqual([
      '0',
      '/srv',
      'hello from the image',
      'good day|xterm-256color|C.UTF-8|/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'err',
      // What busybox says of a terminal without a size.
      'stty: standard input',
      '',
    ]);
  });

  it('keeps a locale of the container', async () => {
    const run = await runTask({ environment: [{ name: 'LANG', value: 'de_DE.UTF-8' }] });
    const client = await openSession(await exec(run, `sh -c 'echo $LANG'`));
    await client.closed;
    expect(client.output()).toBe('de_DE.UTF-8\r\n');
  });

  it('takes keys, sizes and Ctrl-C', async () => {
    const run = await runTask();
    const client = await openSession(
      await exec(run, `sh -c 'stty -echo; echo ready; read x; stty size; echo $x; sleep 600'`),
    );
    await shown(client, 'ready');
    client.send('{"cols":132,"rows":43}', 3);
    // The engine is told of the size by a call of its own, which the keys must not overtake.
    await new Promise((resolve) => setTimeout(resolve, 500));
    client.send('typed\r');
    await shown(client, '43 132\r\ntyped\r\n');
    client.send('\u0003');
    expect(await client.closed).toBe('');
  });

  it('carries a megabyte whole, through loss and reordering', async () => {
    const run = await runTask();
    world.aws.faults.inject({ kind: 'data-channel', drop: 0.1, duplicate: 0.1, reorder: 0.1 });
    onTestFinished(() => world.aws.faults.clear());
    const client = await openSession(await exec(run, `sh -c 'stty -onlcr; seq 1 150000'`));
    expect(await client.closed).toBe('');
    expect(client.output()).toBe(Array.from({ length: 150_000 }, (_, index) => `${index + 1}\n`).join(''));
  });

  it.each([
    { command: '/no/such/binary', reason: 'fork/exec /no/such/binary: no such file or directory' },
    { command: 'no-such-command', reason: 'exec: "no-such-command": executable file not found in $PATH' },
    { command: '/etc/passwd', reason: 'fork/exec /etc/passwd: permission denied' },
  ])('says why it cannot start $command', async ({ command, reason }) => {
    const run = await runTask();
    const client = await openSession(await exec(run, command));
    expect(await client.closed).toBe(
      `\n----------ERROR-------\nUnable to start command: Failed to start pty: ${reason}\n\n`,
    );
    expect(client.output()).toBe('');
  });

  it('ends with its session', async () => {
    const run = await runTask();
    const stubborn = `sh -c 'trap "" TERM HUP INT; echo ready; while :; do sleep 12345; done'`;
    const session = await exec(run, stubborn);
    await shown(await openSession(session), 'ready');
    world.aws.sessions.terminate(session.sessionId ?? '');
    await waitFor(async () => !(await processes(run)).includes('trap "" TERM HUP INT'), {
      ...patience,
      what: 'the end of the command',
    });
  });

  it('is found from inside where this machine does not see the engine’s processes', async () => {
    const run = await runTask();
    const containerId = `svk-${run.arn.split('/').at(-1)}-app`;
    const mark = newExecMark();
    const body = {
      User: '0:0',
      Cmd: ['sh', '-c', 'sleep 54321; true'],
      Env: Object.entries(mark.environment).map(([name, value]) => `${name}=${value}`),
    };
    const { Id } = (await engine().call('POST', `/containers/${containerId}/exec`, { body })) as {
      readonly Id: string;
    };
    await engine().call('POST', `/exec/${Id}/start`, { body: { Detach: true } });
    await waitFor(async () => (await processes(run)).includes('sleep 54321'), patience);
    // A name is no id: no control group of this machine has it.
    await killExec(engine(), { containerId, execId: Id, mark });
    await waitFor(async () => !(await processes(run)).includes('sleep 54321'), patience);
    expect((await run.describe()).lastStatus).toBe('RUNNING');
  });

  it('ends with its task', async () => {
    const run = await runTask();
    const client = await openSession(
      await exec(run, `sh -c 'trap "" TERM HUP; echo ready; while :; do sleep 1; done'`),
    );
    await shown(client, 'ready');
    await run.stop();
    expect(await client.closed).toBe('');
    await run.reaches('STOPPED');
  });

  /** The command lines of everything that runs in the task's container. */
  const processes = async (run: RunTask): Promise<string> => {
    const client = await openSession(await exec(run, 'ps -o args'));
    await client.closed;
    return client.output();
  };
});
