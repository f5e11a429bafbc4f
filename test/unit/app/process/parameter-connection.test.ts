import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AwsEmulator, startAwsEmulator } from '../../../../infra/local/aws/emulator.ts';
import { SimulatedRuntime } from '../../../../infra/local/runtimes/simulated/simulated-runtime.ts';
import { parameterConnection } from '../../../../src/app/process/parameter-connection.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const SERVER = 'https://203.0.113.7:6443';
let aws: AwsEmulator;
let ssm: SSMClient;
let environment: Record<string, string>;

beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  const clock = new FakeClock();
  aws = await startAwsEmulator({ region: 'eu-central-1', runtime: new SimulatedRuntime(clock), clock });
  ssm = new SSMClient({ region: 'eu-central-1', endpoint: aws.url });
  environment = { AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_SSM: aws.url };
});
afterAll(async () => {
  vi.unstubAllEnvs();
  ssm.destroy();
  await aws.close();
});

const put = (Name: string, credentials: unknown) =>
  ssm.send(
    new PutParameterCommand({ Name, Value: JSON.stringify(credentials), Type: 'SecureString', Overwrite: true }),
  );

describe('the way to the API server of a parameter', () => {
  it('takes up a token that was replaced, within five minutes', async () => {
    await put('/svk-system/dev/kubernetes', { server: SERVER, token: 'first' });
    const clock = new FakeClock();
    const { credentials, tokens, source } = await parameterConnection('/svk-system/dev/kubernetes', {
      clock,
      environment,
    });
    expect(credentials).toEqual({ server: SERVER });
    expect(source).toBe('SSM parameter /svk-system/dev/kubernetes');
    expect(await tokens?.()).toBe('first');
    await put('/svk-system/dev/kubernetes', { server: SERVER, token: 'second' });
    expect(await tokens?.()).toBe('first');
    await clock.advance(300_000);
    expect(await tokens?.()).toBe('second');
  });

  it('signs tokens of an EKS cluster by itself', async () => {
    await put('/eks', { server: SERVER, eks: { cluster: 'prod', region: 'eu-central-1' } });
    const { tokens } = await parameterConnection('/eks', { clock: new FakeClock(), environment });
    expect(await tokens?.()).toMatch(/^k8s-aws-v1\./);
  });

  it('takes a client certificate as it is', async () => {
    const pem = (label: string) => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`;
    const given = { server: SERVER, clientCertificate: pem('CERTIFICATE'), clientKey: pem('PRIVATE KEY') };
    await put('/certificate', given);
    const connection = await parameterConnection('/certificate', { clock: new FakeClock(), environment });
    expect(connection).toEqual({ credentials: given, source: 'SSM parameter /certificate' });
  });

  it.each([
    ['/none', {}, 'there is no SSM parameter /none'],
    ['/svk-system/dev/kubernetes', { AWS_REGION: '' }, '--credentials-parameter needs AWS_REGION'],
  ])('says what is missing: %s %j', async (name, change, message) => {
    const connecting = parameterConnection(name, {
      clock: new FakeClock(),
      environment: { ...environment, ...change },
    });
    await expect(connecting).rejects.toThrow(message);
  });
});
