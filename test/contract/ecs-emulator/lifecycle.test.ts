import { StopTaskCommand } from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { container, scripted, startUpMs, startWorld } from './harness.ts';

const at = (seconds: number): Date => new Date(Date.UTC(2030, 0, 1) + seconds * 1000);

describe('a task over time', () => {
  it('goes through the states with their times, address and versions', async () => {
    const { clock, register, run, task } = await startWorld();
    await register({ containerDefinitions: [scripted('app', 'run 10s; exit 0')] });
    const arn = await run();
    const seen: unknown[] = [];
    for (const ms of [0, 1000, 500, 2000, 10_000, 100, 1000]) {
      await clock.advance(ms);
      const { lastStatus, desiredStatus, version, containers, attachments } = await task(arn);
      seen.push([lastStatus, desiredStatus, version, containers?.[0]?.lastStatus, attachments?.[0]?.status]);
    }
    expect(seen).toEqual([
      ['PROVISIONING', 'RUNNING', 1, 'PENDING', 'PRECREATED'],
      ['PENDING', 'RUNNING', 2, 'PENDING', 'ATTACHED'],
      ['ACTIVATING', 'RUNNING', 3, 'PENDING', 'ATTACHED'],
      ['RUNNING', 'RUNNING', 5, 'RUNNING', 'ATTACHED'],
      ['DEACTIVATING', 'STOPPED', 7, 'STOPPED', 'ATTACHED'],
      ['DEPROVISIONING', 'STOPPED', 9, 'STOPPED', 'DETACHED'],
      ['STOPPED', 'STOPPED', 10, 'STOPPED', 'DELETED'],
    ]);
    expect(await task(arn)).toMatchObject({
      createdAt: at(0),
      connectivity: 'CONNECTED',
      connectivityAt: at(1),
      pullStartedAt: at(1.5),
      pullStoppedAt: at(3.5),
      startedAt: at(3.5),
      stoppingAt: at(13.5),
      executionStoppedAt: at(13.6),
      stoppedAt: at(14.6),
      stopCode: 'EssentialContainerExited',
      stoppedReason: 'Essential container in task exited',
      containers: [{ exitCode: 0, networkInterfaces: [{ privateIpv4Address: '127.9.0.1' }] }],
    });
    expect((await task(arn)).containers?.[0]?.runtimeId).toMatch(new RegExp(`^${arn.split('/').at(-1)}-\\d{10}$`));
  });

  it('gives each task an address of its own', async () => {
    const { clock, register, run, task } = await startWorld();
    await register();
    const arns = [await run(), await run()];
    await clock.advance(startUpMs);
    const addresses = await Promise.all(
      arns.map(async (arn) => (await task(arn)).containers?.[0]?.networkInterfaces?.[0]?.privateIpv4Address),
    );
    expect(addresses).toEqual(['127.9.0.1', '127.9.0.2']);
  });

  it('stays ACTIVATING until the last container has started', async () => {
    const { clock, register, run, task } = await startWorld();
    await register({
      containerDefinitions: [
        scripted('init', 'run 5s; exit 0', { essential: false }),
        container({ dependsOn: [{ containerName: 'init', condition: 'SUCCESS' }] }),
      ],
    });
    const arn = await run();
    await clock.advance(startUpMs);
    const during = await task(arn);
    await clock.advance(5000);
    const after = await task(arn);
    expect([during.lastStatus, during.containers?.map(({ lastStatus }) => lastStatus)]).toEqual([
      'ACTIVATING',
      ['RUNNING', 'PENDING'],
    ]);
    expect([after.lastStatus, after.containers?.map(({ lastStatus }) => lastStatus)]).toEqual([
      'RUNNING',
      ['STOPPED', 'RUNNING'],
    ]);
    expect(after.startedAt).toEqual(at(8.5));
  });

  it('stops when an essential container ends, and takes the others along', async () => {
    const { clock, register, run, task } = await startWorld();
    await register({ containerDefinitions: [scripted('app', 'run 1s; exit 7'), scripted('side', '')] });
    const arn = await run();
    await clock.advance(startUpMs + 5000);
    const { containers, stopCode } = await task(arn);
    expect(stopCode).toBe('EssentialContainerExited');
    expect(containers?.map(({ name, exitCode }) => [name, exitCode])).toEqual([
      ['app', 7],
      ['side', 143],
    ]);
  });

  it('goes on when a container that is not essential ends', async () => {
    const { clock, register, run, task } = await startWorld();
    await register({ containerDefinitions: [container(), scripted('side', 'run 1s; exit 7', { essential: false })] });
    const arn = await run();
    await clock.advance(startUpMs + 60_000);
    const { lastStatus, containers } = await task(arn);
    expect([lastStatus, containers?.[1]?.lastStatus, containers?.[1]?.exitCode]).toEqual(['RUNNING', 'STOPPED', 7]);
  });

  it.each([
    { want: 'at once on SIGTERM', script: '', afterMs: 0, exitCode: 143 },
    { want: 'in its own time', script: 'on-term 3s exit 0', afterMs: 3000, exitCode: 0 },
    { want: 'by SIGKILL after stopTimeout', script: 'ignore-term', afterMs: 10_000, exitCode: 137 },
  ])('ends $want', async ({ script, afterMs, exitCode }) => {
    const { ecs, clock, register, run, task } = await startWorld();
    await register({ containerDefinitions: [scripted('app', script, { stopTimeout: 10 })] });
    const arn = await run();
    await clock.advance(startUpMs);
    await ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn }));
    await clock.advance(60_000);
    const { containers, executionStoppedAt } = await task(arn);
    expect(containers?.[0]?.exitCode).toBe(exitCode);
    expect(executionStoppedAt).toEqual(at(3.6 + afterMs / 1000));
  });

  it('stops in the reverse order of dependencies', async () => {
    const { ecs, clock, register, run, events } = await startWorld();
    await register({
      containerDefinitions: [
        scripted('db', ''),
        scripted('app', 'on-term 2s exit 0', { dependsOn: [{ containerName: 'db', condition: 'START' }] }),
      ],
    });
    const arn = await run();
    await clock.advance(startUpMs);
    await ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn }));
    await clock.advance(60_000);
    const ends = events
      .map(({ detail }) => detail['containers'])
      .map((containers) => (containers as { lastStatus: string }[]).map(({ lastStatus }) => lastStatus).join(' '));
    expect([...new Set(ends)].slice(-3)).toEqual(['RUNNING RUNNING', 'RUNNING STOPPED', 'STOPPED STOPPED']);
  });

  it('has no exit codes when it is stopped before its containers ran', async () => {
    const { ecs, clock, register, run, task } = await startWorld();
    await register();
    const arn = await run();
    await clock.advance(1200);
    await ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn }));
    await clock.advance(10_000);
    const stopped = await task(arn);
    expect([stopped.lastStatus, stopped.stopCode]).toEqual(['STOPPED', 'UserInitiated']);
    expect(stopped.containers?.[0]).not.toHaveProperty('exitCode');
    expect(stopped.startedAt).toBeUndefined();
    expect(stopped.executionStoppedAt).toBeUndefined();
  });

  it('restarts a container by its restart policy without a word', async () => {
    const { clock, register, run, task } = await startWorld();
    await register({
      containerDefinitions: [
        scripted('app', 'run 90s; exit 1', { restartPolicy: { enabled: true, restartAttemptPeriod: 60 } }),
        scripted('quick', 'run 30s; exit 1', {
          essential: false,
          restartPolicy: { enabled: true, restartAttemptPeriod: 60 },
        }),
      ],
    });
    const arn = await run();
    await clock.advance(startUpMs + 1_000_000);
    const { lastStatus, containers } = await task(arn);
    expect([lastStatus, containers?.[1]?.lastStatus]).toEqual(['RUNNING', 'STOPPED']);
  });
});
