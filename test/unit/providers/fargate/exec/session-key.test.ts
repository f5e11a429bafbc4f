import { describe, expect, it } from 'vitest';
import type { KeysApi } from '../../../../../src/providers/fargate/aws/keys-api.ts';
import { sessionDataKey } from '../../../../../src/providers/fargate/exec/session-key.ts';

const KEY_ID = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d';
const clusterArn = 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev';
const session = {
  sessionId: 'ecs-execute-command-1',
  workloadId: 'arn:aws:ecs:eu-west-1:123456789012:task/svk-dev/abc',
  runtimeId: 'abc-42',
};
const { signal } = new AbortController();

const ask = (
  answer: Partial<Awaited<ReturnType<KeysApi['generateDataKey']>>> | Error,
  target: Partial<typeof session> = session,
  challenge?: string,
) => {
  const inputs: unknown[] = [];
  const keys: Pick<KeysApi, 'generateDataKey'> = {
    generateDataKey: async (input) => {
      inputs.push(input);
      if (answer instanceof Error) throw answer;
      return { $metadata: {}, ...answer };
    },
  };
  const { runtimeId, ...rest } = { ...session, runtimeId: undefined, ...target };
  const made = sessionDataKey({ keys, clusterArn }, { ...rest, runtimeId }, { keyId: KEY_ID, challenge }, signal);
  return { inputs, made };
};

const refusal = (name: string, message = 'text', httpStatusCode = 400): Error =>
  Object.assign(new Error(message), { name, $metadata: { httpStatusCode } });

describe('the data key of a session', () => {
  const answer = { Plaintext: Buffer.alloc(64, 1), CiphertextBlob: Buffer.from('sealed') };

  it('is bound to the session, its container and the challenge', async () => {
    const { inputs, made } = ask(answer, session, 'random==');
    await expect(made).resolves.toEqual({ plaintext: answer.Plaintext, ciphertext: answer.CiphertextBlob });
    expect(inputs).toEqual([
      {
        KeyId: KEY_ID,
        NumberOfBytes: 64,
        EncryptionContext: {
          'aws:ssm:SessionId': 'ecs-execute-command-1',
          'aws:ssm:TargetId': 'ecs:svk-dev_abc_abc-42',
          'aws:ssm:RandomChallenge': 'random==',
        },
      },
    ]);
  });

  it('is bound to no challenge where there is none', async () => {
    const { inputs, made } = ask(answer);
    await made;
    expect(inputs).toEqual([
      expect.objectContaining({
        EncryptionContext: {
          'aws:ssm:SessionId': 'ecs-execute-command-1',
          'aws:ssm:TargetId': 'ecs:svk-dev_abc_abc-42',
        },
      }),
    ]);
  });

  it.each([
    { name: 'AccessDeniedException', is: 'PermanentError', says: 'allow kms:GenerateDataKey on it to the role' },
    { name: 'DisabledException', is: 'PermanentError', says: 'see that it is there and enabled' },
    { name: 'KMSInvalidStateException', is: 'PermanentError', says: 'see that it is there and enabled' },
    { name: 'NotFoundException', is: 'PermanentError', says: 'executeCommandConfiguration of the ECS cluster' },
    { name: 'ThrottlingException', is: 'ThrottledError', says: 'KMS GenerateDataKey' },
    { name: 'KMSInternalException', status: 500, is: 'TransientError', says: 'KMS GenerateDataKey' },
  ])('$name is a $is that names the key and what to do', async ({ name, is, says, status = 400 }) => {
    const error: unknown = await ask(refusal(name, 'text', status)).made.catch((it: unknown) => it);
    expect(error).toMatchObject({ name: is });
    const { message } = error as Error;
    expect(message).toContain(`KMS key ${KEY_ID}`);
    expect(message).toContain(says);
    expect(message).toContain(name);
  });

  it('is not there where KMS keeps half of it back, or ECS the container', async () => {
    await expect(ask({ Plaintext: Buffer.alloc(64) }).made).rejects.toThrow(`data key of the KMS key ${KEY_ID}`);
    const { inputs, made } = ask(answer, { sessionId: 's' });
    await expect(made).rejects.toThrow('no runtime id');
    expect(inputs).toEqual([]);
  });
});
