import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AwsEmulator, startAwsEmulator } from '../../../../infra/local/aws/emulator.ts';
import { SimulatedRuntime } from '../../../../infra/local/runtimes/simulated/simulated-runtime.ts';
import { type SetCredentialsOptions, setCredentials } from '../../../../src/cli/credentials/set-credentials.ts';
import { setWebhookSecret } from '../../../../src/cli/credentials/webhook-secret.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { runSvk, type SvkResult } from '../run-svk.ts';

const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const KUBECONFIG = {
  'current-context': 'default',
  contexts: [
    { name: 'default', context: { cluster: 'home', user: 'robot' } },
    { name: 'plugin', context: { cluster: 'home', user: 'plugin' } },
    { name: 'nobody', context: { cluster: 'home' } },
    { name: 'here', context: { cluster: 'here', user: 'robot' } },
  ],
  clusters: [
    {
      name: 'home',
      cluster: {
        server: 'https://203.0.113.7:6443',
        'certificate-authority-data': Buffer.from(CA).toString('base64'),
      },
    },
    { name: 'here', cluster: { server: 'https://127.0.0.1:6443' } },
  ],
  users: [
    { name: 'robot', user: { token: 'a-token-of-the-robot' } },
    { name: 'plugin', user: { exec: { command: 'aws' } } },
  ],
};

let folder: string;
let kubeconfig: string;
let aws: AwsEmulator;
let eks: Server;
let ssm: SSMClient;

beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  folder = await mkdtemp(path.join(tmpdir(), 'svk-credentials-'));
  kubeconfig = path.join(folder, 'config');
  await writeFile(kubeconfig, JSON.stringify(KUBECONFIG));
  const clock = new FakeClock();
  aws = await startAwsEmulator({ region: 'eu-central-1', runtime: new SimulatedRuntime(clock), clock });
  ssm = new SSMClient({
    region: 'eu-central-1',
    endpoint: aws.url,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const authority = { data: Buffer.from(CA).toString('base64') };
  eks = createServer(({ url }, response) => {
    const found = url === '/clusters/prod';
    response.writeHead(found ? 200 : 404, {
      'content-type': 'application/json',
      ...(!found && { 'x-amzn-errortype': 'ResourceNotFoundException' }),
    });
    const cluster = { name: 'prod', endpoint: 'https://ABC.gr7.eu-central-1.eks.amazonaws.com', status: 'ACTIVE' };
    response.end(
      JSON.stringify(found ? { cluster: { ...cluster, certificateAuthority: authority } } : { message: 'no' }),
    );
  });
  eks.listen(0, '127.0.0.1');
  await once(eks, 'listening');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  ssm.destroy();
  eks.close();
  await aws.close();
  await rm(folder, { recursive: true });
});

const environment = (): Record<string, string> => {
  const address = eks.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    HOME: folder,
    KUBECONFIG: kubeconfig,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_SSM: aws.url,
    AWS_ENDPOINT_URL_EKS: `http://127.0.0.1:${port}`,
  };
};

/** The command in a process of its own, which takes seconds. */
const svk = (...args: readonly string[]): Promise<SvkResult> => runSvk(['credentials', ...args], environment());

const deployment = (name: string, rest: Partial<SetCredentialsOptions> = {}): SetCredentialsOptions => ({
  deployment: name,
  check: true,
  ...rest,
});
const set = async (options: SetCredentialsOptions): Promise<string> => {
  const lines: string[] = [];
  await setCredentials(options, { environment: environment(), print: (line) => void lines.push(line) });
  return lines.join('\n');
};
const webhookSecret = async (rotate: boolean): Promise<string> => {
  const lines: string[] = [];
  const context = { environment: environment(), print: (line: string) => void lines.push(line) };
  await setWebhookSecret({ deployment: 'four', rotate }, context);
  return lines.join('\n');
};
const stored = async (name: string): Promise<string | undefined> => {
  const { Parameter } = await ssm.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
  expect(Parameter?.Type).toBe('SecureString');
  return Parameter?.Value;
};

describe('svk credentials set', () => {
  it('stores what a kubeconfig says, and a secret for the webhook; prints neither', async () => {
    const { code, stdout, stderr } = await svk('set', '--no-check', '--deployment', 'one');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        'stored how to reach https://203.0.113.7:6443 in SSM parameter /svk-system/one/kubernetes (eu-central-1)',
        'stored a new secret of the webhook in SSM parameter /svk-system/one/admission',
        'the functions use them within five minutes; nothing has to be deployed',
        '',
      ].join('\n'),
    );
    expect(JSON.parse((await stored('/svk-system/one/kubernetes')) ?? '')).toEqual({
      server: 'https://203.0.113.7:6443',
      certificateAuthority: CA,
      token: 'a-token-of-the-robot',
    });
    const secret = await stored('/svk-system/one/admission');
    expect(secret).toMatch(/^[0-9a-f]{32}$/);

    await set(deployment('one', { check: false, server: 'https://k8s.example.com' }));
    expect(JSON.parse((await stored('/svk-system/one/kubernetes')) ?? '')).toMatchObject({
      server: 'https://k8s.example.com',
    });
    expect(await stored('/svk-system/one/admission')).toBe(secret);
  });

  it('stores the name of an EKS cluster, and no token', async () => {
    expect(await set(deployment('two', { eks: 'prod', eksRegion: 'eu-west-1' }))).toContain(
      'stored how to reach https://ABC.gr7.eu-central-1.eks.amazonaws.com in SSM parameter',
    );
    expect(JSON.parse((await stored('/svk-system/two/kubernetes')) ?? '')).toEqual({
      server: 'https://ABC.gr7.eu-central-1.eks.amazonaws.com',
      certificateAuthority: CA,
      eks: { cluster: 'prod', region: 'eu-west-1' },
    });
  });

  it.each([
    [{ eks: 'test' }, 'there is no EKS cluster test in eu-central-1: correct --eks or --region'],
    [
      { context: 'plugin' },
      'uses an exec plugin, which a Lambda function cannot; give a context with a client certificate, or the token of a ServiceAccount (EKS: svk credentials set --eks NAME)',
    ],
    [{ context: 'nobody' }, 'the kubeconfig has neither a token nor a client certificate'],
    [{ context: 'here' }, 'the server https://127.0.0.1:6443 is this machine, which no function reaches'],
    [{ kubeconfig: '/nowhere/config' }, 'kubeconfig /nowhere/config cannot be read'],
  ])('refuses %j and stores nothing', async (options, message) => {
    await expect(set(deployment('three', options))).rejects.toThrow(message);
    await expect(stored('/svk-system/three/kubernetes')).rejects.toMatchObject({ name: 'ParameterNotFound' });
  });

  it('says what it refuses in one line', async () => {
    expect(await svk('set', '--context', 'nobody')).toEqual({
      code: 3,
      stdout: '',
      stderr: 'svk: the kubeconfig has neither a token nor a client certificate: name a context that has one\n',
    });
  });
});

describe('svk credentials webhook-secret', () => {
  it('makes one, leaves it, and rotates it with the one before still good', async () => {
    const name = '/svk-system/four/admission';
    await webhookSecret(false);
    const first = await stored(name);
    expect(await webhookSecret(false)).toContain('holds one already');
    expect(await stored(name)).toBe(first);
    await webhookSecret(true);
    const second = (await stored(name))?.split(' ') ?? [];
    expect(second).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), first]);
    await webhookSecret(true);
    expect((await stored(name))?.split(' ')[1]).toBe(second[0]);
  });
});
