import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FastClock } from '../support/fast-clock.ts';
import { type DockerWorld, shell, startDockerWorld } from './support/docker-world.ts';
import { hasEngine } from './support/engine.ts';
import { makeImages } from './support/images.ts';

const data = { mountPoints: [{ sourceVolume: 'data', containerPath: '/data' }] };
const withVolume = { volumes: [{ name: 'data' }] };
const side = { name: 'side', essential: false, stopTimeout: 2 };

describe.skipIf(!hasEngine)('the containers of a task', () => {
  let world: DockerWorld;

  beforeAll(async () => {
    await makeImages();
    world = await startDockerWorld();
  });

  afterAll(() => world.close());

  it('share one network: an address of their own, which ECS reports, and 127.0.0.1 among them', async () => {
    const serve = 'hostname -i; httpd -f -p 80 -h /srv';
    const run = await world.run([
      shell(serve, { name: 'web', stopTimeout: 2 }),
      shell('until wget -qO- http://127.0.0.1/; do sleep 0.2; done; exec sleep 600', side),
    ]);
    const { containers = [] } = await run.reaches('RUNNING');
    await run.prints('hello from the image', 'side');
    const addresses = containers.map(({ networkInterfaces }) => networkInterfaces?.[0]?.privateIpv4Address);
    expect(new Set(addresses).size).toBe(1);
    expect(await run.log('web')).toEqual([addresses[0]]);

    // Another task may use the same port, and reaches the first by its address.
    const other = await world.run([
      shell(serve, { name: 'web', stopTimeout: 2 }),
      shell(`wget -qO- http://${addresses[0]}/; exec sleep 600`, side),
    ]);
    await other.prints('hello from the image', 'side');
    expect(await other.log('web')).not.toEqual([addresses[0]]);
    await Promise.all([run.stop(), other.stop()]);
    await Promise.all([run.reaches('STOPPED'), other.reaches('STOPPED')]);
  });

  it('share volumes, some of them read-only, and take over each other’s', async () => {
    const run = await world.run(
      [
        shell('echo from first > /data/file', { ...data, name: 'first', essential: false }),
        shell('cat /data/file; touch /data/x 2>&1', {
          name: 'reader',
          mountPoints: [{ sourceVolume: 'data', containerPath: '/data', readOnly: true }],
          dependsOn: [{ containerName: 'first', condition: 'SUCCESS' }],
          essential: false,
        }),
        shell('cat /data/file', {
          volumesFrom: [{ sourceContainer: 'first' }],
          dependsOn: [{ containerName: 'reader', condition: 'COMPLETE' }],
        }),
      ],
      withVolume,
    );
    await run.reaches('STOPPED');
    expect(await run.log('reader')).toEqual(['from first', 'touch: /data/x: Read-only file system']);
    expect(await run.log('app')).toEqual(['from first']);
  });

  it('see each other’s processes only with pidMode task', async () => {
    const look = (name: string): ReturnType<typeof shell>[] => [
      shell(`ps | grep -c "[s]leep 5${name}"; true`, { dependsOn: [{ containerName: 'side', condition: 'START' }] }),
      shell(`exec sleep 5${name}`, side),
    ];
    const [shared, apart] = await Promise.all([world.run(look('1'), { pidMode: 'task' }), world.run(look('2'))]);
    await Promise.all([shared.reaches('STOPPED'), apart.reaches('STOPPED')]);
    expect([await shared.log(), await apart.log()]).toEqual([['1'], ['0']]);
  });

  it('leave no zombies where they share process ids', async () => {
    const orphan = 'sh -c "sleep 0.2 & exit"; sleep 1.5; ps -o stat,comm | grep -c "^Z"; true';
    const run = await world.run([shell(orphan)], { pidMode: 'task' });
    await run.reaches('STOPPED');
    expect(await run.log()).toEqual(['0']);
  });

  it('start in the order of START, COMPLETE, SUCCESS and HEALTHY', async () => {
    const note = (name: string): string => `echo ${name} >> /data/order`;
    const run = await world.run(
      [
        shell(`${note('init')}; exit 0`, { ...data, name: 'init', essential: false }),
        shell(`${note('failing')}; exit 1`, {
          ...data,
          name: 'failing',
          essential: false,
          dependsOn: [{ containerName: 'init', condition: 'SUCCESS' }],
        }),
        shell(`sleep 1; ${note('sidecar')}; exec sleep 600`, {
          ...data,
          ...side,
          dependsOn: [{ containerName: 'failing', condition: 'COMPLETE' }],
          healthCheck: { command: ['CMD-SHELL', 'grep sidecar /data/order'], interval: 5, retries: 3 },
        }),
        shell(`${note('app')}; cat /data/order`, {
          ...data,
          dependsOn: [
            { containerName: 'side', condition: 'HEALTHY' },
            { containerName: 'init', condition: 'COMPLETE' },
          ],
        }),
      ],
      withVolume,
    );
    await run.reaches('STOPPED');
    expect(await run.log()).toEqual(['init', 'failing', 'sidecar', 'app']);
  });

  it('are given up where one that others wait for is not healthy in time', async () => {
    const run = await world.run([
      shell('exec sleep 600', {
        ...side,
        startTimeout: 7,
        healthCheck: { command: ['CMD', 'false'], interval: 5, retries: 1 },
      }),
      shell('true', { dependsOn: [{ containerName: 'side', condition: 'HEALTHY' }] }),
    ]);
    const { containers = [] } = await run.reaches('STOPPED');
    expect(containers.find(({ name }) => name === 'app')).toMatchObject({
      exitCode: 143,
      reason: expect.stringMatching(/^CannotStartContainerError: dependency graph: .* as dependency timed out\.$/),
    });
    expect(await run.log()).toEqual([]);
  });

  it('report their health', async () => {
    const run = await world.run([
      shell('touch /tmp/well; exec sleep 600', {
        stopTimeout: 2,
        healthCheck: { command: ['CMD-SHELL', 'test -f /tmp/well'], interval: 5 },
      }),
    ]);
    await run.reaches('RUNNING');
    await expect
      .poll(async () => (await run.describe()).healthStatus, { timeout: 30_000, interval: 500 })
      .toBe('HEALTHY');
    await run.stop();
    await run.reaches('STOPPED');
  });

  it('end together where an essential one ends, apart where another does', async () => {
    const run = await world.run([
      shell('sleep 2; exit 7'),
      shell('echo done', side),
      shell('trap "echo told to end; exit 9" TERM; echo up; while :; do sleep 0.1; done', {
        name: 'other',
        stopTimeout: 5,
      }),
    ]);
    await run.prints('up', 'other');
    const { containers = [], stopCode } = await run.reaches('STOPPED');
    expect(stopCode).toBe('EssentialContainerExited');
    expect(containers.map(({ name, exitCode }) => [name, exitCode])).toEqual([
      ['app', 7],
      ['side', 0],
      ['other', 9],
    ]);
    expect(await run.log('other')).toEqual(['up', 'told to end']);
  });

  it.each([
    {
      want: 'its own code where it heeds SIGTERM',
      script: 'trap "exit 5" TERM; echo up; while :; do sleep 0.1; done',
      exitCode: 5,
    },
    {
      want: '137 after stopTimeout where it does not',
      script: 'trap "" TERM; echo up; while :; do sleep 0.1; done',
      exitCode: 137,
    },
  ])('end on StopTask with $want', async ({ script, exitCode }) => {
    const run = await world.run([shell(script, { stopTimeout: 2 })]);
    await run.prints('up');
    await run.stop('enough');
    expect(await run.reaches('STOPPED')).toMatchObject({
      stopCode: 'UserInitiated',
      stoppedReason: 'enough',
      containers: [{ exitCode }],
    });
  });

  it('read about themselves and what they use', async () => {
    const read = 'wget -qO- $ECS_CONTAINER_METADATA_URI_V4';
    const run = await world.run([
      shell(
        `until ${read} | grep -q DockerId; do sleep 0.1; done; ${read}; echo; ${read}/task; echo; ${read}/stats; echo; ${read}/task/stats; echo`,
        {
          memory: 128,
        },
      ),
    ]);
    await run.reaches('STOPPED');
    const lines = await run.log();
    const [own, task, stats, all] = lines.map((line): unknown => JSON.parse(line));
    expect(own).toMatchObject({
      Name: 'app',
      KnownStatus: 'RUNNING',
      Limits: { CPU: 0, Memory: 128 },
      Networks: [{ NetworkMode: 'awsvpc', IPv4Addresses: [expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/)] }],
    });
    expect(task).toMatchObject({ TaskARN: run.arn, Limits: { CPU: 0.25, Memory: 512 }, Containers: [{ Name: 'app' }] });
    expect(stats).toMatchObject({ memory_stats: { limit: 134_217_728 }, cpu_stats: { cpu_usage: {} } });
    expect(Object.values(all as Record<string, unknown>)).toMatchObject([{ memory_stats: { limit: 134_217_728 } }]);
  });

  it('start again by ECS’s restart policy with their files, and tell how often', async () => {
    const fast = await startDockerWorld({ clock: new FastClock(30) });
    onTestFinished(() => fast.close());
    const count = 'wget -qO- $ECS_CONTAINER_METADATA_URI_V4 | grep -o "RestartCount..[0-9]*"';
    const run = await fast.run([
      shell(`echo start >> /tmp/starts; sleep 3; ${count}; wc -l < /tmp/starts; test $(wc -l < /tmp/starts) -lt 3`, {
        restartPolicy: { enabled: true, restartAttemptPeriod: 60, ignoredExitCodes: [1] },
      }),
    ]);
    const { containers } = await run.reaches('STOPPED');
    expect(await run.log()).toEqual(['RestartCount":0', '1', 'RestartCount":1', '2', 'RestartCount":2', '3']);
    expect(containers?.[0]?.exitCode).toBe(1);
  });
});
