import { spawnSync } from 'node:child_process';
import { CreateLogGroupCommand, GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { StopTaskCommand } from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { noDelays } from '../../../infra/local/aws/delays.ts';
import type { EventBridgeEvent } from '../../../infra/local/aws/ecs/task-event.ts';
import { ProcessRuntime } from '../../../infra/local/runtimes/process/process-runtime.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { awslogs, container, executionRoleArn, startWorld, type World } from './harness.ts';

/** Empty for a process that is gone; a killed one is `Z` until somebody waits for it. */
const processState = (pid: number): string =>
  spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();

interface RealWorld extends World {
  /** Resolves with the first event of this status. */
  readonly seen: (lastStatus: string) => Promise<EventBridgeEvent>;
}

const startRealWorld = async (): Promise<RealWorld> => {
  const events: EventBridgeEvent[] = [];
  let onEvent = (): void => {};
  const world = await startWorld({
    runtime: new ProcessRuntime(),
    clock: new SystemClock(),
    delays: noDelays,
    onEvent: (event) => {
      events.push(event);
      onEvent();
    },
  });
  await world.logs.send(new CreateLogGroupCommand({ logGroupName: 'pods' }));
  return {
    ...world,
    seen: (lastStatus) =>
      new Promise((resolve) => {
        onEvent = () => {
          const event = events.find(({ detail }) => detail['lastStatus'] === lastStatus);
          if (event) resolve(event);
        };
        onEvent();
      }),
  };
};

describe('a task of local processes', () => {
  it('runs its command and keeps its output', async () => {
    const { register, run, task, seen, logs } = await startRealWorld();
    await register({
      executionRoleArn,
      containerDefinitions: [
        container({
          entryPoint: ['/bin/sh'],
          command: ['-c', 'echo "$GREETING from $0"; echo oops >&2; exit 3', 'pod'],
          environment: [{ name: 'GREETING', value: 'hello' }],
          logConfiguration: awslogs,
        }),
      ],
    });
    const arn = await run();
    await seen('STOPPED');
    expect(await task(arn)).toMatchObject({
      stopCode: 'EssentialContainerExited',
      containers: [{ exitCode: 3, networkInterfaces: [{ privateIpv4Address: '127.8.0.1' }] }],
    });
    const { events } = await logs.send(
      new GetLogEventsCommand({ logGroupName: 'pods', logStreamName: `svk/app/${arn.split('/').at(-1)}` }),
    );
    expect(events?.map(({ message }) => message).sort()).toEqual(['hello from pod', 'oops']);
  });

  it('stands for an image without a command until it is stopped', async () => {
    const { ecs, register, run, task, seen } = await startRealWorld();
    await register();
    const arn = await run();
    await seen('RUNNING');
    await ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn }));
    await seen('STOPPED');
    expect((await task(arn)).stopCode).toBe('UserInitiated');
  });

  it('ends with the emulator, which frees its port', async () => {
    const { aws, register, run, seen, logs } = await startRealWorld();
    await register({
      executionRoleArn,
      containerDefinitions: [
        container({
          entryPoint: ['/bin/sh'],
          command: ['-c', 'trap "" TERM; echo $$; while :; do sleep 600; done'],
          logConfiguration: awslogs,
        }),
      ],
    });
    const arn = await run();
    await seen('RUNNING');
    const logStreamName = `svk/app/${arn.split('/').at(-1)}`;
    let pid = 0;
    while (pid === 0) {
      const { events } = await logs.send(new GetLogEventsCommand({ logGroupName: 'pods', logStreamName }));
      pid = Number(events?.[0]?.message ?? 0);
    }
    await aws.close();
    expect(processState(pid)).not.toMatch(/^[^Z]/);
    await expect(fetch(aws.url)).rejects.toThrow('fetch failed');
  });

  it('says that a command is not there', async () => {
    const { register, run, task, seen } = await startRealWorld();
    await register({ containerDefinitions: [container({ command: ['no-such-command'] })] });
    const arn = await run();
    await seen('STOPPED');
    const { stopCode, stoppedReason, containers } = await task(arn);
    expect([stopCode, stoppedReason]).toEqual(['TaskFailedToStart', 'Task failed to start']);
    expect(containers?.[0]?.reason).toMatch(/^CannotStartContainerError: .*executable file not found in \$PATH/);
  });
});
