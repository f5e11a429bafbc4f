import {
  CreateClusterCommand,
  DeleteClusterCommand,
  DeregisterTaskDefinitionCommand,
  DescribeTaskDefinitionCommand,
  DescribeTasksCommand,
  RunTaskCommand,
} from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { PermanentError, ThrottledError } from '../../../src/core/errors.ts';
import { definition, runRequest, startUpMs } from '../ecs-emulator/harness.ts';
import { current, definitionsIn, podOf, request, simulate, start, started, uidOf } from './fargate-launches.ts';
import { fargateWorld } from './fargate-world.ts';
import { gather, idsOf } from './provider-world.ts';

const { signal } = new AbortController();

describe('definitions', () => {
  it('T-04 are registered once for ten pods of one template', async () => {
    const fargate = await fargateWorld();
    for (let number = 1; number <= 10; number += 1) {
      const identity = { env: [{ name: 'POD_NAME', value: `web-${number}`, origin: 'identity' as const }] };
      await start(fargate, podOf(uidOf(number)), identity);
    }
    expect(await definitionsIn(fargate)).toHaveLength(1);
    expect(await gather(fargate.provider.list({ stopped: false }, signal))).toHaveLength(10);
  });

  it('deregistered behind our back are registered again by the next try', async () => {
    const fargate = await fargateWorld();
    const pod = podOf(uidOf(1));
    const first = await request(fargate, pod);
    const [arn] = await definitionsIn(fargate);
    await fargate.world.ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition: arn }));
    expect(await fargate.provider.launch(first, signal)).toMatchObject({ kind: 'refused', final: true });
    const second = await request(fargate, pod, { env: [] }, 2);
    expect(started(await fargate.provider.launch(second, signal)).try).toBe(2);
  });

  it('nobody has used for 7 days are deregistered, while a task of theirs runs on', async () => {
    const fargate = await fargateWorld();
    const { id } = await start(fargate, podOf(uidOf(1)));
    await fargate.world.clock.advance(7 * 24 * 3_600_000 + 1);
    await fargate.provider.collect(signal);
    expect(await definitionsIn(fargate)).toEqual([]);
    expect(await current(fargate, id)).toMatchObject({ phase: 'running' });
  });

  it('are throttled as they are, not as faults of the pod', async () => {
    const fargate = await fargateWorld();
    fargate.world.aws.faults.inject({ kind: 'registration-conflict', count: 1 });
    await expect(request(fargate, podOf(uidOf(1)))).rejects.toThrow(ThrottledError);
    await expect(request(fargate, podOf(uidOf(1)))).resolves.toBeDefined();
  });
});

describe('a whole container', () => {
  it('is accepted by the rules of Fargate', async () => {
    const fargate = await fargateWorld();
    const pod = podOf(uidOf(1), {
      command: ['run'],
      workingDir: '/srv',
      ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP' }],
      stdin: true,
      tty: true,
      resources: {
        requests: { cpu: '100m', memory: '100Mi', 'ephemeral-storage': '30Gi' },
        limits: { memory: '200Mi' },
      },
      securityContext: {
        runAsUser: 1000,
        runAsGroup: 1000,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'SYS_PTRACE'] },
      },
    });
    const { id } = await start(fargate, pod, { env: [], command: [{ value: 'run', origin: 'template' }] });
    await fargate.world.clock.advance(startUpMs);
    expect(await current(fargate, id)).toMatchObject({ phase: 'running' });
    const [arn] = await definitionsIn(fargate);
    const { taskDefinition } = await fargate.world.ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: arn }));
    expect(taskDefinition?.containerDefinitions?.[0]).toMatchObject({ user: '1000:1000', workingDirectory: '/srv' });
  });

  it('has tags for people', async () => {
    const fargate = await fargateWorld();
    const { id } = await start(fargate, podOf(uidOf(1)));
    const { tasks } = await fargate.world.ecs.send(
      new DescribeTasksCommand({ cluster: 'pods', tasks: [id], include: ['TAGS'] }),
    );
    expect(tasks?.[0]?.tags).toContainEqual({ key: 'svk.dev/pod', value: 'web' });
  });
});

describe('an exec probe', () => {
  it('becomes a health check, whose outcome is told by describe alone and without a new version', async () => {
    const fargate = await fargateWorld();
    const readinessProbe = { exec: { command: ['cat', '/tmp/ok'] }, periodSeconds: 5, failureThreshold: 2 };
    const pod = podOf(uidOf(1), { readinessProbe });
    const { id } = await start(
      fargate,
      pod,
      simulate('health unhealthy; health healthy after 8s; health unhealthy after 60s; run 20m'),
    );
    await fargate.world.clock.advance(startUpMs);
    const atStart = await current(fargate, id);
    expect(atStart).toMatchObject({ phase: 'running', containers: [{ health: 'unknown' }] });
    await fargate.world.clock.advance(20_000);
    const later = await current(fargate, id);
    expect(later).toMatchObject({ version: atStart.version, containers: [{ health: 'healthy' }] });
    await fargate.world.clock.advance(60_000);
    expect(await current(fargate, id)).toMatchObject({
      version: atStart.version,
      containers: [{ health: 'unhealthy', state: 'running' }],
    });
  });
});

describe('a task that is told to stop', () => {
  it('S-24 has lost its tags, and is still known for what it is', async () => {
    const fargate = await fargateWorld();
    const { id } = await start(fargate, podOf(uidOf(1)));
    await fargate.world.clock.advance(startUpMs);
    await fargate.provider.stop(id, { graceSeconds: 30, reason: 'the pod was deleted' }, signal);
    const { tasks } = await fargate.world.ecs.send(
      new DescribeTasksCommand({ cluster: 'pods', tasks: [id], include: ['TAGS'] }),
    );
    expect(tasks?.[0]?.tags ?? []).toEqual([]);
    expect(await current(fargate, id)).toMatchObject({ podUid: uidOf(1), attempt: 1, try: 1, stopping: true });
    expect(await fargate.provider.find(uidOf(1), signal)).toMatchObject([{ id }]);
  });

  it('stops, however much there is to say about why', async () => {
    const fargate = await fargateWorld();
    const { id } = await start(fargate, podOf(uidOf(1)));
    await fargate.provider.stop(id, { graceSeconds: 30, reason: 'x'.repeat(2_000) }, signal);
    expect(await current(fargate, id)).toMatchObject({ stopping: true });
  });
});

describe('the cluster', () => {
  it('is described in batches of a hundred', async () => {
    const fargate = await fargateWorld();
    const { id } = await start(fargate, podOf(uidOf(1)));
    const unknown = Array.from({ length: 230 }, (_, index) => `${id.slice(0, -4)}${String(index).padStart(4, '0')}`);
    const described = await fargate.provider.describe([...unknown, id], signal);
    expect([idsOf(described.workloads), described.missing]).toEqual([[id], unknown]);
  });

  it('is read without the tasks of other Kubernetes clusters and of strangers', async () => {
    const fargate = await fargateWorld();
    const { id } = await start(fargate, podOf(uidOf(1)));
    await fargate.world.register(definition());
    await fargate.world.run({ startedBy: 'svk/ffffffffffff/other', group: 'svk:1.1' });
    await fargate.world.run({ startedBy: 'a-person' });
    await fargate.world.ecs.send(new RunTaskCommand(runRequest()));
    expect(idsOf(await gather(fargate.provider.list({ stopped: true }, signal)))).toEqual([id]);
  });

  it('that is not there is named by the ping', async () => {
    const fargate = await fargateWorld();
    await fargate.world.ecs.send(new CreateClusterCommand({ clusterName: 'other' }));
    await fargate.world.ecs.send(new DeleteClusterCommand({ cluster: 'pods' }));
    const ping = fargate.provider.ping(signal);
    await expect(ping).rejects.toThrow(PermanentError);
    await expect(ping).rejects.toThrow('arn:aws:ecs:eu-central-1:123456789012:cluster/pods');
  });
});
