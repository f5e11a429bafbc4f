import { DescribeTaskDefinitionCommand } from '@aws-sdk/client-ecs';
import { ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DescribeParametersCommand } from '@aws-sdk/client-ssm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ThrottledError } from '../../../src/core/errors.ts';
import type { ResolvedContainer } from '../../../src/model/environment.ts';
import type { Workload } from '../../../src/model/workload.ts';
import { startUpMs } from '../ecs-emulator/harness.ts';
import { current, definitionsIn, podOf, start, started, uidOf } from './fargate-launches.ts';
import { type FargateWorld, fargateWorld } from './fargate-world.ts';

const { signal } = new AbortController();

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
