import { SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import { type EksTokens, eksTokens } from '../../../../src/adapters/eks/eks-token.ts';
import { TransientError } from '../../../../src/core/errors.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const MINUTE = 60_000;
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

const tokensOf = (
  clock: FakeClock,
  { region = 'eu-west-1', credentials = async () => ({ ...KEYS, sessionToken: 'TOKEN/+=x' }) }: Partial<Options> = {},
): EksTokens => {
  const { config } = new SSMClient({ region, credentials });
  const identity = { credentials: config.credentials, sha256: config.sha256 };
  return eksTokens({ cluster: 'prod', region }, { clock, identity });
};

interface Options {
  readonly region: string;
  readonly credentials: () => Promise<{ accessKeyId: string; secretAccessKey: string; sessionToken?: string }>;
}

const urlOf = (token: string): URL => {
  expect(token).toMatch(/^k8s-aws-v1\.[\w-]+$/);
  return new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString('utf8'));
};

describe('a token for EKS', () => {
  it('is a presigned GetCallerIdentity of the region, with the cluster in a signed header', async () => {
    const url = urlOf(await tokensOf(new FakeClock()).tokens());
    expect(url.origin + url.pathname).toBe('https://sts.eu-west-1.amazonaws.com/');
    // The signature as botocore makes it from the same request, keys and time.
    expect(Object.fromEntries(url.searchParams)).toEqual({
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIDEXAMPLE/20300101/eu-west-1/sts/aws4_request',
      'X-Amz-Date': '20300101T000000Z',
      'X-Amz-Expires': '60',
      'X-Amz-Security-Token': 'TOKEN/+=x',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
      'X-Amz-Signature': 'e71a45a05bdcec275cd114d1ad87bfa8cfb56333c1b159ae81a073763f3fbe8b',
    });
  });

  it('names the domain of the partition', async () => {
    const url = urlOf(
      await tokensOf(new FakeClock(), { region: 'cn-north-1', credentials: async () => KEYS }).tokens(),
    );
    expect(url.origin).toBe('https://sts.cn-north-1.amazonaws.com.cn');
    expect(url.searchParams.get('X-Amz-Signature')).toBe(
      'ffbe92214692d1ffc4062580b4c594aaf06bc01c7cf39a255454b17a130c1d92',
    );
  });

  it('is kept for 13 of its 15 minutes', async () => {
    const clock = new FakeClock();
    const { tokens } = tokensOf(clock);
    const first = await tokens();
    await clock.advance(13 * MINUTE - 1);
    expect(await tokens()).toBe(first);
    await clock.advance(1);
    const second = await tokens();
    expect(urlOf(second).searchParams.get('X-Amz-Date')).toBe('20300101T001300Z');
    expect(await tokens()).toBe(second);
  });

  it('is a new one after it was refused', async () => {
    const clock = new FakeClock();
    const { tokens, forget } = tokensOf(clock);
    const first = await tokens();
    await clock.advance(1_000);
    forget();
    expect(await tokens()).not.toBe(first);
  });

  it('comes later where there are no credentials to sign with', async () => {
    let refused = true;
    const credentials = async (): Promise<typeof KEYS> => {
      if (refused) throw new Error('no credentials');
      return KEYS;
    };
    const { tokens } = tokensOf(new FakeClock(), { credentials });
    await expect(tokens()).rejects.toThrow(
      new TransientError('no token for EKS cluster prod: the AWS credentials cannot sign'),
    );
    refused = false;
    expect(await tokens()).toMatch(/^k8s-aws-v1\./);
  });
});
