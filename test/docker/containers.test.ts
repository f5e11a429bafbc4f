import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DockerWorld, shell, startDockerWorld } from './support/docker-world.ts';
import { hasEngine } from './support/engine.ts';
import { makeImages, testImage } from './support/images.ts';

describe.skipIf(!hasEngine)('a container of a task, from inside', () => {
  let world: DockerWorld;

  beforeAll(async () => {
    await makeImages();
    world = await startDockerWorld();
  });

  afterAll(() => world.close());

  /** What the script prints in a task of its own. */
  const printed = async (
    script: string,
    changes: Parameters<typeof shell>[1] = {},
    task: Parameters<DockerWorld['run']>[1] = {},
  ): Promise<readonly string[]> => {
    const run = await world.run([shell(script, changes)], task);
    await run.reaches('STOPPED');
    return run.log();
  };

  it('runs entryPoint and command with its own environment, directory and user', async () => {
    const lines = await printed('echo "$0|$1|$GREETING|$PWD|$(id -u):$(id -g)"', {
      command: ['echo "$0|$1|$GREETING|$PWD|$(id -u):$(id -g)"', 'zero', 'a b'],
      environment: [{ name: 'GREETING', value: 'two  words' }],
      workingDirectory: '/srv',
      user: '1000:1000',
    });
    expect(lines).toEqual(['zero|a b|two  words|/srv|1000:1000']);
  });

  it('runs the image’s own command where the definition has none', async () => {
    const { entryPoint: _, command: __, ...app } = shell('');
    const run = await world.run([app]);
    await run.reaches('STOPPED');
    expect(await run.log()).toEqual(['own command of the image']);
  });

  it('drops the image’s command where only an entry point is given', async () => {
    const { command: _, ...app } = shell('', { entryPoint: ['/bin/echo'] });
    const run = await world.run([app]);
    await run.reaches('STOPPED');
    expect(await run.log()).toEqual([]);
  });

  it('sees Fargate’s variables and nothing of the machine', async () => {
    const lines = await printed('env | sort | cut -d= -f1');
    expect(lines).toEqual([
      'AWS_DEFAULT_REGION',
      'AWS_EXECUTION_ENV',
      'AWS_REGION',
      'ECS_CONTAINER_METADATA_URI_V4',
      'HOME',
      'HOSTNAME',
      'PATH',
      'PWD',
      'SHLVL',
    ]);
  });

  it('gets secrets of Parameter Store and Secrets Manager', async () => {
    const ssm = new SSMClient({
      endpoint: world.aws.url,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    await ssm.send(new PutParameterCommand({ Name: '/svk/pw', Type: 'SecureString', Value: 'p a$s"w' }));
    ssm.destroy();
    const secret = (await world.aws.secrets.handle('CreateSecret', {
      Name: 'db',
      SecretString: '{"user":"ada"}',
    })) as { readonly ARN: string };
    const lines = await printed('echo "$PW|$DB_USER"', {
      secrets: [
        { name: 'PW', valueFrom: '/svk/pw' },
        { name: 'DB_USER', valueFrom: `${secret.ARN}:user::` },
      ],
    });
    expect(lines).toEqual(['p a$s"w|ada']);
  });

  it('has a read-only root where it says so, and writes to volumes all the same', async () => {
    const lines = await printed(
      'touch /tmp/x 2>&1; echo kept > /data/x && cat /data/x',
      { readonlyRootFilesystem: true, mountPoints: [{ sourceVolume: 'scratch', containerPath: '/data' }] },
      { volumes: [{ name: 'scratch' }] },
    );
    expect(lines).toEqual(['touch: /tmp/x: Read-only file system', 'kept']);
  });

  it.each([
    { want: 'Docker’s own set', capabilities: undefined, effective: '00000000a80425fb' },
    { want: 'none', capabilities: { drop: ['ALL'] }, effective: '0000000000000000' },
    { want: 'all but one', capabilities: { drop: ['NET_RAW'] }, effective: '00000000a80405fb' },
    { want: 'SYS_PTRACE besides', capabilities: { add: ['SYS_PTRACE'] }, effective: '00000000a80c25fb' },
  ])('has the capabilities it asks for: $want', async ({ capabilities, effective }) => {
    const lines = await printed('grep CapEff /proc/self/status | cut -f2', { linuxParameters: { capabilities } });
    expect(lines).toEqual([effective]);
  });

  it('has an init process where it says so', async () => {
    expect(await printed('cat /proc/1/comm', { linuxParameters: { initProcessEnabled: true } })).toEqual([
      'docker-init',
    ]);
    expect(await printed('cat /proc/1/comm; true')).toEqual(['sh']);
  });

  it('has the open files and kernel settings it asks for', async () => {
    const lines = await printed('ulimit -Sn; ulimit -Hn; cat /proc/sys/net/core/somaxconn', {
      ulimits: [{ name: 'nofile', softLimit: 1024, hardLimit: 2048 }],
      systemControls: [{ namespace: 'net.core.somaxconn', value: '77' }],
    });
    expect(lines).toEqual(['1024', '2048', '77']);
  });

  it('has a terminal where it says so', async () => {
    expect(await printed('test -t 1 && echo terminal', { pseudoTerminal: true })).toEqual(['terminal\r']);
    expect(await printed('test -t 1 || echo none')).toEqual(['none']);
  });

  it('is limited to its own memory, or to its task’s', async () => {
    const limit = 'cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null';
    expect(await printed(limit, { memory: 64 })).toEqual(['67108864']);
    expect(await printed(limit)).toEqual(['536870912']);
  });

  it.each([
    { want: 'an exit code', script: 'exit 42', exitCode: 42 },
    { want: 'a signal', script: 'sh -c "kill -SEGV \\$\\$"; exit $?', exitCode: 139 },
    { want: 'success', script: 'true', exitCode: 0 },
  ])('ends with $want', async ({ script, exitCode }) => {
    const run = await world.run([shell(script)]);
    expect(await run.reaches('STOPPED')).toMatchObject({
      stopCode: 'EssentialContainerExited',
      stoppedReason: 'Essential container in task exited',
      containers: [{ exitCode }],
    });
  });

  it('is killed for its memory, in AWS’s words', async () => {
    const run = await world.run([shell('exec dd if=/dev/zero of=/dev/null bs=200M count=1', { memory: 32 })]);
    const { containers, stopCode } = await run.reaches('STOPPED');
    expect(stopCode).toBe('EssentialContainerExited');
    expect(containers?.[0]).toMatchObject({
      exitCode: 137,
      reason: 'OutOfMemoryError: Container killed due to memory usage',
    });
  });

  it('writes both of its streams to the log, long lines in pieces', async () => {
    const lines = await printed(
      'echo out; sleep 0.2; echo err >&2; sleep 0.2; head -c 20000 /dev/zero | tr "\\0" x; echo',
    );
    expect(lines.map((line) => (line.length > 10 ? line.length : line))).toEqual(['out', 'err', 16_384, 3616]);
  });

  it('keeps its image’s digest', async () => {
    const run = await world.run([shell('true')]);
    const { containers } = await run.reaches('STOPPED');
    expect(containers?.[0]).toMatchObject({
      image: testImage,
      imageDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
  });
});
