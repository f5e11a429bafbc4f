import {
  CreateClusterCommand,
  DeleteClusterCommand,
  DeregisterTaskDefinitionCommand,
  DescribeTaskDefinitionCommand,
  DescribeTasksCommand,
  ListTaskDefinitionsCommand,
  RunTaskCommand,
} from '@aws-sdk/client-ecs';
import { ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DescribeParametersCommand } from '@aws-sdk/client-ssm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PermanentError, ThrottledError } from '../../../src/core/errors.ts';
import type { ResolvedContainer } from '../../../src/model/environment.ts';
import type { Container, Pod } from '../../../src/model/kubernetes.ts';
import type { LaunchRequest, LaunchResult } from '../../../src/model/launch.ts';
import type { Workload } from '../../../src/model/workload.ts';
import { definition, runRequest, startUpMs } from '../ecs-emulator/harness.ts';
import { type FargateWorld, fargateWorld } from './fargate-world.ts';
import { gather, idsOf } from './provider-world.ts';

const { signal } = new AbortController();
const uidOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const podOf = (uid: string, container: Partial<Container> = {}): Pod => ({
  metadata: { uid, name: 'web', namespace: 'shop', labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'app:1', ...container }] },
});

const request = async (
  { provider }: FargateWorld,
  pod: Pod,
  environment: ResolvedContainer = { env: [] },
  tryNumber = 1,
): Promise<LaunchRequest> => {
  const preparation = provider.prepare(pod, { node: 'fargate', environment: { main: environment } });
  if (!preparation.ok) throw new Error(JSON.stringify(preparation.problems));
  const token = { podUid: pod.metadata?.uid ?? '', attempt: 1, try: tryNumber };
  return provider.provision(preparation.prepared, token, signal);
};

const started = (result: LaunchResult): Workload => {
  if (result.kind !== 'started') throw new Error(`${result.kind}: ${result.message}`);
  return result.workload;
};

const start = async (fargate: FargateWorld, pod: Pod, environment?: ResolvedContainer): Promise<Workload> =>
  started(await fargate.provider.launch(await request(fargate, pod, environment), signal));

const current = async ({ provider }: FargateWorld, id: string): Promise<Workload> => {
  const { workloads } = await provider.describe([id], signal);
  const [workload] = workloads;
  if (!workload) throw new Error(`${id} is missing`);
  return workload;
};

const simulate = (script: string): ResolvedContainer => ({
  env: [{ name: 'SVK_SIMULATE', value: script, origin: 'template' }],
});

const definitionsIn = async ({ world }: FargateWorld): Promise<readonly string[]> =>
  (await world.ecs.send(new ListTaskDefinitionsCommand({}))).taskDefinitionArns ?? [];

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

describe('secrets', () => {
  const secret: ResolvedContainer = {
    env: [{ name: 'SVK_SIMULATE', value: 'run 1s; exit 7', origin: 'secret', secret: { name: 'keys', key: 'script' } }],
  };

  it('reach the container, and nothing else', async () => {
    const fargate = await fargateWorld();
    const { id } = await start(fargate, podOf(uidOf(1)), secret);
    await fargate.world.clock.advance(20_000);
    expect(await current(fargate, id)).toMatchObject({ phase: 'stopped', containers: [{ exitCode: 7 }] });
    const [arn] = await definitionsIn(fargate);
    const { taskDefinition } = await fargate.world.ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: arn }));
    expect(JSON.stringify([taskDefinition, fargate.resources.resources(), fargate.world.events])).not.toContain(
      'exit 7',
    );
  });

  it('are shared by replicas and removed once nobody needs them', async () => {
    const fargate = await fargateWorld();
    await start(fargate, podOf(uidOf(1)), secret);
    await start(fargate, podOf(uidOf(2)), secret);
    const parameters = async () => (await fargate.world.ssm.send(new DescribeParametersCommand({}))).Parameters;
    expect(await parameters()).toHaveLength(1);
    await fargate.world.clock.advance(2 * 3_600_000);
    await fargate.provider.collect(signal);
    expect(await parameters()).toEqual([]);
  });
});

describe('logins for registries', () => {
  const login = { secret: 'reg-login', username: 'robot', password: 'hunter2' };

  const startPrivate = async ({ provider }: FargateWorld, uid: string): Promise<Workload> => {
    const pod = podOf(uid, { image: 'registry.example.com/team/app:1' });
    const preparation = provider.prepare(pod, { node: 'fargate', environment: {}, logins: { main: login } });
    if (!preparation.ok) throw new Error(JSON.stringify(preparation.problems));
    const token = { podUid: uid, attempt: 1, try: 1 };
    return started(await provider.launch(await provider.provision(preparation.prepared, token, signal), signal));
  };
  const secretsIn = async ({ world }: FargateWorld): Promise<readonly (string | undefined)[]> => {
    const client = new SecretsManagerClient({
      region: 'eu-central-1',
      endpoint: world.aws.url,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    onTestFinished(() => client.destroy());
    const { SecretList = [] } = await client.send(new ListSecretsCommand({}));
    return SecretList.map(({ Name }) => Name);
  };

  it('V-18 reach ECS by Secrets Manager, and nothing else', async () => {
    const fargate = await fargateWorld();
    const { id } = await startPrivate(fargate, uidOf(1));
    await fargate.world.clock.advance(startUpMs);
    expect(await current(fargate, id)).toMatchObject({ phase: 'running' });
    const [arn] = await definitionsIn(fargate);
    const { taskDefinition } = await fargate.world.ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: arn }));
    const [name] = await secretsIn(fargate);
    expect(name).toMatch(/^\/svk\/dev\/shop\/reg-login\/[0-9a-f]{16}\/registry$/);
    expect(taskDefinition?.containerDefinitions?.[0]?.repositoryCredentials).toEqual({ credentialsParameter: name });
    const everything = JSON.stringify([taskDefinition, fargate.resources.resources(), fargate.world.events]);
    expect(everything).not.toContain('hunter2');
    expect(everything).not.toContain('robot');
  });

  it('V-18 are shared by replicas, removed once nobody needs them, and made anew', async () => {
    const fargate = await fargateWorld();
    await startPrivate(fargate, uidOf(1));
    await startPrivate(fargate, uidOf(2));
    expect(await secretsIn(fargate)).toHaveLength(1);
    await fargate.world.clock.advance(3_600_000);
    await fargate.provider.collect(signal);
    expect(await secretsIn(fargate)).toHaveLength(1);
    await fargate.world.clock.advance(3_600_000);
    await fargate.provider.collect(signal);
    expect(await secretsIn(fargate)).toEqual([]);
    await startPrivate(fargate, uidOf(3));
    expect(await secretsIn(fargate)).toHaveLength(1);
  });

  it('V-18 survive a maker that died before it said so', async () => {
    const fargate = await fargateWorld();
    await startPrivate(fargate, uidOf(1));
    const [row] = fargate.resources.resources().filter(({ key }) => key.startsWith('LOGIN#'));
    await fargate.resources.drop(row?.key ?? '');
    await startPrivate(fargate, uidOf(2));
    expect(await secretsIn(fargate)).toHaveLength(1);
  });

  it('that Secrets Manager refuses are told without the login', async () => {
    const fargate = await fargateWorld();
    fargate.world.aws.faults.inject({ kind: 'throttle', action: 'CreateSecret', count: 1 });
    const refused = startPrivate(fargate, uidOf(1));
    await expect(refused).rejects.toThrow(ThrottledError);
    await expect(refused).rejects.not.toThrow(/hunter2|robot/);
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

describe('what goes wrong', () => {
  it.each([
    ['pull-error not-found', { kind: 'failed-to-start', reason: 'ErrImagePull' }],
    ['pull-error invalid-reference', { kind: 'failed-to-start', reason: 'InvalidImageName' }],
    ['start-error exec: "nope": executable file not found in $PATH', { kind: 'exited' }],
    ['run 1s; oom', { kind: 'exited' }],
    ['run 1s; exit lost', { kind: 'exited' }],
  ])('%s', async (script, end) => {
    const fargate = await fargateWorld();
    const { id } = await start(fargate, podOf(uidOf(1)), simulate(script));
    await fargate.world.clock.advance(30_000);
    expect(await current(fargate, id)).toMatchObject({ phase: 'stopped', end });
  });

  it('tells a start error and want of memory by exit code and reason', async () => {
    const fargate = await fargateWorld();
    const failed = await start(fargate, podOf(uidOf(1)), simulate('start-error exec format error'));
    const killed = await start(fargate, podOf(uidOf(2)), simulate('run 1s; oom'));
    const lost = await start(fargate, podOf(uidOf(3)), simulate('run 1s; exit lost'));
    await fargate.world.clock.advance(30_000);
    expect((await current(fargate, failed.id)).containers).toMatchObject([{ exitCode: 128, reason: 'StartError' }]);
    expect((await current(fargate, killed.id)).containers).toMatchObject([{ exitCode: 137, reason: 'OOMKilled' }]);
    expect((await current(fargate, lost.id)).containers[0]).not.toHaveProperty('exitCode');
  });

  it('tells a Spot interruption while the task still runs', async () => {
    const fargate = await fargateWorld();
    const pod = podOf(uidOf(1));
    const spot = {
      ...pod,
      metadata: { ...pod.metadata, namespace: 'batch', annotations: { 'svk.dev/profile': 'spot' } },
    };
    const { id } = await start(fargate, spot);
    await fargate.world.clock.advance(startUpMs);
    fargate.world.aws.faults.inject({ kind: 'spot-interruption', taskArn: id });
    await fargate.world.clock.advance(100);
    expect(await current(fargate, id)).toMatchObject({
      stopping: true,
      end: { kind: 'disrupted', reason: 'Preempted' },
    });
  });

  it('T-01 takes a throttle in disguise for a throttle', async () => {
    const fargate = await fargateWorld();
    const once = await request(fargate, podOf(uidOf(1)));
    fargate.world.aws.faults.inject({ kind: 'throttle', action: 'RunTask', dressed: true, count: 1 });
    expect(await fargate.provider.launch(once, signal)).toMatchObject({
      kind: 'refused',
      cause: 'throttled',
      final: false,
    });
    expect((await fargate.provider.launch(once, signal)).kind).toBe('started');
  });

  it('adopts the task of a token that was used with other parameters', async () => {
    const fargate = await fargateWorld();
    const once = await request(fargate, podOf(uidOf(1)));
    const { id } = started(await fargate.provider.launch(once, signal));
    const other = { body: JSON.stringify({ ...JSON.parse(once.body), tags: [] }) };
    expect(started(await fargate.provider.launch(other, signal)).id).toBe(id);
  });

  it('leaves out containers nobody asked for', async () => {
    const fargate = await fargateWorld();
    fargate.world.aws.faults.inject({ kind: 'stranger', count: 1 });
    const { id } = await start(fargate, podOf(uidOf(1)));
    await fargate.world.clock.advance(startUpMs);
    expect((await current(fargate, id)).containers.map(({ name }) => name)).toEqual(['main']);
  });

  it('says of a task that cannot be seen yet that it is missing', async () => {
    const fargate = await fargateWorld();
    fargate.world.aws.faults.inject({ kind: 'missing', seconds: 5, count: 1 });
    const { id } = await start(fargate, podOf(uidOf(1)));
    expect(await fargate.provider.describe([id], signal)).toEqual({ workloads: [], missing: [id] });
    await fargate.world.clock.advance(5001);
    expect((await fargate.provider.describe([id], signal)).missing).toEqual([]);
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
