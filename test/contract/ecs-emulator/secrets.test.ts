import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ContainerSpec } from '../../../infra/local/runtimes/runtime.ts';
import { SimulatedRuntime } from '../../../infra/local/runtimes/simulated/simulated-runtime.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { container, executionRoleArn, refusal, startUpMs, startWorld, type World } from './harness.ts';

const clientOf = ({ aws }: World): SecretsManagerClient => {
  const client = new SecretsManagerClient({
    endpoint: aws.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  onTestFinished(() => client.destroy());
  return client;
};

const startSecrets = async (): Promise<SecretsManagerClient> => clientOf(await startWorld());

describe('Secrets Manager', () => {
  it('keeps a secret by name and ARN, and tells everything but its value', async () => {
    const secrets = await startSecrets();
    const { ARN = '' } = await secrets.send(
      new CreateSecretCommand({ Name: 'svk/db', SecretString: 'hunter2', Description: 'the database' }),
    );
    expect(ARN).toMatch(/^arn:aws:secretsmanager:eu-central-1:123456789012:secret:svk\/db-[A-Za-z0-9]{6}$/);
    for (const SecretId of ['svk/db', ARN, ARN.slice(0, -7)]) {
      expect((await secrets.send(new GetSecretValueCommand({ SecretId }))).SecretString).toBe('hunter2');
    }
    const described = await secrets.send(new DescribeSecretCommand({ SecretId: 'svk/db' }));
    expect(described).toMatchObject({ ARN, Name: 'svk/db', Description: 'the database' });
    expect(JSON.stringify(described)).not.toContain('hunter2');
  });

  it('moves AWSCURRENT and AWSPREVIOUS with each value', async () => {
    const secrets = await startSecrets();
    await secrets.send(new CreateSecretCommand({ Name: 'a', SecretString: 'one' }));
    await secrets.send(new PutSecretValueCommand({ SecretId: 'a', SecretString: 'two' }));
    await secrets.send(new PutSecretValueCommand({ SecretId: 'a', SecretString: 'three' }));
    const valueOf = async (VersionStage?: string): Promise<string | undefined> =>
      (await secrets.send(new GetSecretValueCommand({ SecretId: 'a', VersionStage }))).SecretString;
    expect([await valueOf(), await valueOf('AWSCURRENT'), await valueOf('AWSPREVIOUS')]).toEqual([
      'three',
      'three',
      'two',
    ]);
    expect(await refusal(valueOf('AWSPENDING'))).toBe(
      "ResourceNotFoundException: Secrets Manager can't find the specified secret value for staging label: AWSPENDING",
    );
  });

  it('takes bytes as they are', async () => {
    const secrets = await startSecrets();
    await secrets.send(new CreateSecretCommand({ Name: 'a', SecretBinary: Uint8Array.of(0, 255, 7) }));
    const { SecretBinary, SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: 'a' }));
    expect([[...(SecretBinary ?? [])], SecretString]).toEqual([[0, 255, 7], undefined]);
  });

  it('may be told the same twice, but not two things by one token', async () => {
    const secrets = await startSecrets();
    const ClientRequestToken = '01234567-89ab-4def-8123-456789abcdef';
    await secrets.send(new CreateSecretCommand({ Name: 'a', SecretString: 'one' }));
    const put = (SecretString: string): Promise<unknown> =>
      secrets.send(new PutSecretValueCommand({ SecretId: 'a', SecretString, ClientRequestToken }));
    await put('two');
    await put('two');
    expect(await refusal(put('three'))).toMatch(/^ResourceExistsException: /);
  });

  it('keeps a deleted secret from readers and its name from others until it is gone', async () => {
    const secrets = await startSecrets();
    const create = (): Promise<unknown> => secrets.send(new CreateSecretCommand({ Name: 'a', SecretString: 'one' }));
    await create();
    expect(await refusal(create())).toMatch(/^ResourceExistsException: /);
    await secrets.send(new DeleteSecretCommand({ SecretId: 'a', RecoveryWindowInDays: 7 }));
    expect(await refusal(secrets.send(new GetSecretValueCommand({ SecretId: 'a' })))).toBe(
      "InvalidRequestException: You can't perform this operation on the secret because it was marked for deletion.",
    );
    expect(await refusal(create())).toMatch(/^InvalidRequestException: .*already scheduled for deletion/);
    expect((await secrets.send(new ListSecretsCommand({}))).SecretList).toEqual([]);
    await secrets.send(new DeleteSecretCommand({ SecretId: 'a', ForceDeleteWithoutRecovery: true }));
    expect(await refusal(secrets.send(new GetSecretValueCommand({ SecretId: 'a' })))).toBe(
      "ResourceNotFoundException: Secrets Manager can't find the specified secret.",
    );
    await create();
  });

  it('lists by prefix of the name, in pages', async () => {
    const secrets = await startSecrets();
    for (const Name of ['svk/b', 'svk/a', 'other']) {
      await secrets.send(new CreateSecretCommand({ Name, SecretString: 'x' }));
    }
    const Filters = [{ Key: 'name' as const, Values: ['svk/'] }];
    const first = await secrets.send(new ListSecretsCommand({ Filters, MaxResults: 1 }));
    const second = await secrets.send(new ListSecretsCommand({ Filters, MaxResults: 1, NextToken: first.NextToken }));
    const names = [first, second].flatMap(({ SecretList = [] }) => SecretList.map(({ Name }) => Name));
    expect([names, second.NextToken]).toEqual([['svk/a', 'svk/b'], undefined]);
  });

  it.each([
    { want: 'a name with a blank', request: { Name: 'a b', SecretString: 'x' } },
    { want: 'more than 64 KiB', request: { Name: 'a', SecretString: 'x'.repeat(65_537) } },
  ])('refuses $want', async ({ request }) => {
    const secrets = await startSecrets();
    expect(await refusal(secrets.send(new CreateSecretCommand(request)))).toMatch(/^InvalidParameterException: /);
  });
});

/** Keeps what the containers were given. */
class Recording extends SimulatedRuntime {
  readonly started: ContainerSpec[] = [];

  override async openTask(): ReturnType<SimulatedRuntime['openTask']> {
    const sandbox = await super.openTask();
    return {
      ip: sandbox.ip,
      pull: (spec, signal) => {
        this.started.push(spec);
        return sandbox.pull(spec, signal);
      },
      start: (spec, output) => sandbox.start(spec, output),
      close: () => sandbox.close(),
    };
  }
}

describe('`secrets` from Secrets Manager', () => {
  const startTask = async (suffix: string, value = '{"user":"ada","port":5432}') => {
    const clock = new FakeClock();
    const runtime = new Recording(clock);
    const world = await startWorld({ clock, runtime });
    const secrets = clientOf(world);
    const { ARN = '' } = await secrets.send(new CreateSecretCommand({ Name: 'db', SecretString: value }));
    await secrets.send(new PutSecretValueCommand({ SecretId: 'db', SecretString: value.replace('ada', 'bob') }));
    const valueFrom = `${ARN}${suffix}`;
    await world.register({
      executionRoleArn,
      containerDefinitions: [container({ secrets: [{ name: 'DB', valueFrom }] })],
    });
    const arn = await world.run();
    await clock.advance(startUpMs + 2000);
    return { given: runtime.started[0]?.environment['DB'], task: await world.task(arn) };
  };

  it.each([
    { want: 'the whole secret', suffix: '', given: '{"user":"bob","port":5432}' },
    { want: 'a member of it', suffix: ':user::', given: 'bob' },
    { want: 'a number in it', suffix: ':port::', given: '5432' },
    { want: 'a member of an older version', suffix: ':user:AWSPREVIOUS:', given: 'ada' },
  ])('hands over $want', async ({ suffix, given }) => {
    expect((await startTask(suffix)).given).toBe(given);
  });

  it.each([
    {
      want: 'is not there',
      arn: `arn:aws:secretsmanager:eu-central-1:123456789012:secret:none-AbCdEf`,
      text: "can't find the specified secret",
    },
    { want: 'is no login', arn: 'db', text: 'the secret is no JSON of username and password' },
  ])('stops the task where the secret of repositoryCredentials $want, without showing it', async ({ arn, text }) => {
    const clock = new FakeClock();
    const world = await startWorld({ clock, runtime: new SimulatedRuntime(clock) });
    const created = await clientOf(world).send(
      new CreateSecretCommand({ Name: 'db', SecretString: '{"username":"hunter2"' }),
    );
    const credentialsParameter = arn === 'db' ? created.ARN : arn;
    await world.register({
      executionRoleArn,
      containerDefinitions: [container({ repositoryCredentials: { credentialsParameter } })],
    });
    const task = await world.run();
    await clock.advance(startUpMs + 2000);
    const { stoppedReason } = await world.task(task);
    expect(stoppedReason).toMatch(/^ResourceInitializationError: unable to pull secrets or registry auth: /);
    expect(stoppedReason).toContain(text);
    expect(stoppedReason).not.toContain('hunter2');
  });

  it.each([
    {
      want: 'no such member',
      suffix: ':pin::',
      text: 'retrieved secret from Secrets Manager did not contain json key pin',
    },
    {
      want: 'no such label',
      suffix: '::AWSPENDING:',
      text: "ResourceNotFoundException: Secrets Manager can't find the specified secret.",
    },
    {
      want: 'no such secret',
      suffix: 'x',
      text: "ResourceNotFoundException: Secrets Manager can't find the specified secret.",
    },
  ])('stops the task where there is $want', async ({ suffix, text }) => {
    const { task } = await startTask(suffix);
    expect(task.stopCode).toBe('TaskFailedToStart');
    expect(task.stoppedReason).toMatch(
      /^ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed: unable to retrieve secret from asm: /,
    );
    expect(task.stoppedReason).toContain(text);
  });
});
