import {
  ECSClient,
  ExecuteCommandCommand,
  type ExecuteCommandCommandInput,
  type ManagedAgent,
  StopTaskCommand,
  type Task,
} from '@aws-sdk/client-ecs';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { noDelays } from '../../../infra/local/aws/delays.ts';
import { ProcessRuntime } from '../../../infra/local/runtimes/process/process-runtime.ts';
import { SimulatedRuntime } from '../../../infra/local/runtimes/simulated/simulated-runtime.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { FastClock } from '../../support/fast-clock.ts';
import { waitFor } from '../../support/local-cloud.ts';
import { startExecWorld, taskRoleArn } from './exec-world.ts';
import { container, refusal, startWorld } from './harness.ts';

const notConnected =
  'TargetNotConnectedException: The execute command failed due to an internal error. Try again later.';

describe('ExecuteCommand refuses', () => {
  it.each<{ want: string; changes: Partial<ExecuteCommandCommandInput>; text: string | RegExp }>([
    {
      want: 'a command without a terminal',
      changes: { interactive: false },
      text: 'InvalidParameterException: Interactive is the only mode supported currently.',
    },
    { want: 'no command', changes: { command: '' }, text: 'InvalidParameterException: Command cannot be blank.' },
    {
      want: 'an unknown cluster',
      changes: { cluster: 'other' },
      text: 'ClusterNotFoundException: Cluster not found.',
    },
    {
      want: 'an unknown task',
      changes: { task: '00000000000000000000000000000000' },
      text: 'InvalidParameterException: The referenced task was not found.',
    },
    {
      want: 'an unknown container',
      changes: { container: 'other' },
      text: 'InvalidParameterException: The container other was not found in the task.',
    },
  ])('$want', async ({ changes, text }) => {
    const { ecs, taskArn } = await startExecWorld();
    const request = { cluster: 'pods', task: taskArn, command: 'true', interactive: true, ...changes };
    expect(await refusal(ecs.send(new ExecuteCommandCommand(request)))).toBe(text);
  });

  it('to guess which of several containers is meant', async () => {
    const { ecs, register, run } = await startWorld();
    await register({ taskRoleArn, containerDefinitions: [container(), container({ name: 'side' })] });
    const task = await run({ enableExecuteCommand: true });
    const request = { cluster: 'pods', task, command: 'true', interactive: true };
    expect(await refusal(ecs.send(new ExecuteCommandCommand(request)))).toBe(
      'InvalidParameterException: The container name is required for a task with more than one container.',
    );
  });

  it('tasks that were run without it', async () => {
    const { ecs, register, run } = await startWorld();
    await register({ taskRoleArn });
    const request = { cluster: 'pods', task: await run(), command: 'true', interactive: true };
    expect(await refusal(ecs.send(new ExecuteCommandCommand(request)))).toMatch(
      /^InvalidParameterException: The execute command failed because execute command was not enabled/,
    );
  });

  it('callers without the permission', async () => {
    const { aws, exec, task, taskArn } = await startExecWorld();
    aws.faults.inject({ kind: 'access-denied', action: 'ExecuteCommand' });
    expect(await refusal(exec('true'))).toMatch(
      /^AccessDeniedException: .* not authorized to perform: ecs:ExecuteCommand/,
    );
    expect((await task(taskArn)).lastStatus).toBe('RUNNING');
  });

  it('containers that have ended', async () => {
    const { ecs, exec, task, taskArn } = await startExecWorld();
    await ecs.send(new StopTaskCommand({ cluster: 'pods', task: taskArn }));
    await waitFor(async () => (await task(taskArn)).lastStatus === 'STOPPED', { withinMs: 15_000 });
    expect(await refusal(exec('true'))).toBe(notConnected);
    expect((await task(taskArn)).containers?.[0]?.managedAgents).toMatchObject([
      { name: 'ExecuteCommandAgent', lastStatus: 'STOPPED', lastStartedAt: expect.any(Date) },
    ]);
  });
});

describe('the execute command agent', () => {
  it('comes up a while after its container', async () => {
    const world = await startWorld({
      runtime: new ProcessRuntime(),
      clock: new FastClock(5),
      delays: { ...noDelays, execAgent: 5000 },
    });
    await world.register({ taskRoleArn });
    const arn = await world.run({ enableExecuteCommand: true });
    const running = async (): Promise<boolean> => (await world.task(arn)).containers?.[0]?.lastStatus === 'RUNNING';
    await waitFor(running, { withinMs: 15_000 });
    const request = { cluster: 'pods', task: arn, command: 'true', interactive: true };
    expect(await refusal(world.ecs.send(new ExecuteCommandCommand(request)))).toBe(notConnected);
    const up = async (): Promise<boolean> => agentOf(await world.task(arn))?.lastStatus === 'RUNNING';
    await waitFor(up, { withinMs: 15_000 });
    expect((await world.ecs.send(new ExecuteCommandCommand(request))).containerName).toBe('app');
  });

  it.each([
    {
      want: 'on a runtime without terminals',
      runtime: (clock: Clock) => new SimulatedRuntime(clock),
      changes: {},
      reason: 'This runtime of the local ECS has no execute command agent.',
    },
    {
      want: 'where the root file system is read-only',
      runtime: () => new ProcessRuntime(),
      changes: { readonlyRootFilesystem: true },
      reason: 'The agent cannot write to the read-only root file system.',
    },
    {
      want: 'with credentials that are not the task role’s',
      runtime: () => new ProcessRuntime(),
      changes: { environment: [{ name: 'AWS_ACCESS_KEY_ID', value: 'AKIA' }] },
      reason: "AWS_ACCESS_KEY_ID in the environment replaces the task role's credentials.",
    },
  ])('does not run $want', async ({ runtime, changes, reason }) => {
    const clock = new FastClock(5);
    const { ecs, register, run, task } = await startWorld({ runtime: runtime(clock), clock, delays: noDelays });
    await register({ taskRoleArn, containerDefinitions: [container(changes)] });
    const arn = await run({ enableExecuteCommand: true });
    const stopped = async (): Promise<boolean> => agentOf(await task(arn))?.lastStatus === 'STOPPED';
    await waitFor(stopped, { withinMs: 15_000 });
    expect(agentOf(await task(arn))).toEqual({ name: 'ExecuteCommandAgent', lastStatus: 'STOPPED', reason });
    const request = { cluster: 'pods', task: arn, command: 'true', interactive: true };
    expect(await refusal(ecs.send(new ExecuteCommandCommand(request)))).toBe(notConnected);
  });
});

const agentOf = ({ containers }: Task): ManagedAgent | undefined => containers?.[0]?.managedAgents?.[0];

describe('the upgrade of a data channel', () => {
  const answerTo = (url: string, headers: Readonly<Record<string, string>>): Promise<number> =>
    new Promise((resolve) => {
      const socket = new WebSocket(url, { headers });
      socket.on('open', () => {
        socket.terminate();
        resolve(101);
      });
      socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
      socket.on('error', () => undefined);
    });
  /** As clients of AWS sign; with the SDK's own credentials and hash. */
  const signerFor = (service: string, secretAccessKey: string): SignatureV4 => {
    const credentials = { accessKeyId: 'local', secretAccessKey };
    const { config } = new ECSClient({ region: 'eu-central-1', credentials });
    return new SignatureV4({ service, region: 'eu-central-1', credentials, sha256: config.sha256 });
  };
  const requestOf = (streamUrl: string): Parameters<SignatureV4['sign']>[0] => {
    const { hostname, port, host, pathname, searchParams } = new URL(streamUrl);
    const query = Object.fromEntries(searchParams);
    return { protocol: 'ws:', method: 'GET', hostname, port: Number(port), path: pathname, query, headers: { host } };
  };
  const headersFor = async (
    streamUrl: string,
    service = 'ssmmessages',
    secret = 'local',
  ): Promise<Readonly<Record<string, string>>> =>
    (await signerFor(service, secret).sign(requestOf(streamUrl), {})).headers;
  const presigned = async (streamUrl: string, secret = 'local'): Promise<string> => {
    const { query = {} } = await signerFor('ssmmessages', secret).presign(requestOf(streamUrl), { expiresIn: 60 });
    const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, [value].flat().join(',')]);
    return `${streamUrl.split('?')[0]}?${new URLSearchParams(pairs).toString()}`;
  };

  it('may be signed, or not', async () => {
    const { exec } = await startExecWorld();
    const { streamUrl = '' } = await exec('sleep 600');
    expect(await answerTo(streamUrl, {})).toBe(101);
    expect(await answerTo(streamUrl, await headersFor(streamUrl))).toBe(101);
    expect(await answerTo(await presigned(streamUrl), {})).toBe(101);
    expect(await answerTo(streamUrl, await headersFor(streamUrl, 'ecs'))).toBe(403);
    expect(await answerTo(streamUrl, { authorization: 'Bearer local' })).toBe(403);
  });

  it('must be signed with the right key where that is asked for, in a header or in the query', async () => {
    const { exec } = await startExecWorld({ requireSignedUpgrades: true });
    const { streamUrl = '' } = await exec('sleep 600');
    expect(await answerTo(streamUrl, {})).toBe(403);
    expect(await answerTo(streamUrl, await headersFor(streamUrl))).toBe(101);
    expect(await answerTo(await presigned(streamUrl), {})).toBe(101);
    expect(await answerTo(streamUrl, await headersFor(streamUrl, 'ssmmessages', 'wrong'))).toBe(403);
    expect(await answerTo(await presigned(streamUrl, 'wrong'), {})).toBe(403);
    expect(await answerTo(`${await presigned(streamUrl)}&more=1`, {})).toBe(403);
    expect(await answerTo(`${streamUrl}&more=1`, await headersFor(streamUrl))).toBe(403);
  });

  it('is for local programs and known sessions alone', async () => {
    const { exec } = await startExecWorld();
    const { streamUrl = '' } = await exec('sleep 600');
    expect(await answerTo(streamUrl, { origin: 'https://example.com' })).toBe(403);
    expect(await answerTo(streamUrl, { host: 'example.com' })).toBe(403);
    expect(await answerTo(streamUrl.replace('-command-', '-'), {})).toBe(404);
    expect(await answerTo(streamUrl.replace('publish_subscribe', 'subscribe'), {})).toBe(404);
  });
});
