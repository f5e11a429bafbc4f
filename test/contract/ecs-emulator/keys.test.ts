import { DescribeClustersCommand } from '@aws-sdk/client-ecs';
import {
  CreateKeyCommand,
  DecryptCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  EnableKeyCommand,
  GenerateDataKeyCommand,
} from '@aws-sdk/client-kms';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ExecKey, encryptSessions } from '../../support/exec-key.ts';
import { refusal, startWorld, type World } from './harness.ts';

const EncryptionContext = { 'aws:ssm:SessionId': 's-1', 'aws:ssm:TargetId': 'ecs:a_b_c' };

const aKey = async (): Promise<ExecKey & { readonly world: World }> => {
  const world = await startWorld();
  const key = await encryptSessions(world.aws.url, 'pods');
  onTestFinished(() => key.close());
  return { ...key, world };
};

describe('KMS', () => {
  it('makes keys and tells of them', async () => {
    const { arn, kms } = await aKey();
    expect(arn).toMatch(/^arn:aws:kms:eu-central-1:123456789012:key\/[0-9a-f-]{36}$/);
    const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId: arn.split('/')[1] ?? '' }));
    expect(KeyMetadata).toMatchObject({ Arn: arn, Enabled: true, KeyState: 'Enabled', KeyUsage: 'ENCRYPT_DECRYPT' });
  });

  it('makes a new data key each time, and decrypts it for who names the same context, in any order', async () => {
    const { arn, kms } = await aKey();
    const made = await kms.send(new GenerateDataKeyCommand({ KeyId: arn, NumberOfBytes: 64, EncryptionContext }));
    const other = await kms.send(new GenerateDataKeyCommand({ KeyId: arn, KeySpec: 'AES_256', EncryptionContext }));
    expect([made.Plaintext?.length, other.Plaintext?.length, made.KeyId]).toEqual([64, 32, arn]);
    expect(Buffer.from(made.CiphertextBlob ?? []).includes(Buffer.from(made.Plaintext ?? []))).toBe(false);
    const reversed = Object.fromEntries(Object.entries(EncryptionContext).reverse());
    const { CiphertextBlob } = made;
    for (const KeyId of [undefined, arn]) {
      const opened = await kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext: reversed, KeyId }));
      expect([opened.Plaintext, opened.KeyId]).toEqual([made.Plaintext, arn]);
    }
  });

  it('decrypts for nobody else', async () => {
    const { arn, kms } = await aKey();
    const { CiphertextBlob = new Uint8Array() } = await kms.send(
      new GenerateDataKeyCommand({ KeyId: arn, NumberOfBytes: 64, EncryptionContext }),
    );
    const changed = Buffer.from(CiphertextBlob);
    changed.writeUInt8(changed.readUInt8(60) ^ 1, 60);
    for (const input of [
      { CiphertextBlob },
      { CiphertextBlob, EncryptionContext: { ...EncryptionContext, 'aws:ssm:SessionId': 's-2' } },
      { CiphertextBlob: changed, EncryptionContext },
      { CiphertextBlob: Buffer.from('short'), EncryptionContext },
    ]) {
      expect(await refusal(kms.send(new DecryptCommand(input)))).toMatch(/^InvalidCiphertextException: /);
    }
    const { KeyMetadata } = await kms.send(new CreateKeyCommand());
    const KeyId = KeyMetadata?.Arn;
    expect(await refusal(kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext, KeyId })))).toMatch(
      /^IncorrectKeyException: /,
    );
  });

  it('refuses disabled and unknown keys, wrong sizes, and what a fault forbids', async () => {
    const { arn, kms, world } = await aKey();
    const make = (KeyId = arn, NumberOfBytes = 64): Promise<unknown> =>
      kms.send(new GenerateDataKeyCommand({ KeyId, NumberOfBytes, EncryptionContext }));
    await kms.send(new DisableKeyCommand({ KeyId: arn }));
    expect(await refusal(make())).toBe(`DisabledException: ${arn} is disabled.`);
    await kms.send(new EnableKeyCommand({ KeyId: arn }));
    await make();
    expect(await refusal(make(`${arn}0`))).toBe(`NotFoundException: Key '${arn}0' does not exist`);
    expect(await refusal(make(arn, 0))).toMatch(/^ValidationException: /);
    world.aws.faults.inject({ kind: 'access-denied', action: 'GenerateDataKey' });
    expect(await refusal(make())).toMatch(/^AccessDeniedException: .*not authorized to perform: kms:GenerateDataKey/);
  });
});

describe('the configuration of a cluster', () => {
  it('is told where it is asked for, and stays where another setting changes', async () => {
    const { arn, world } = await aKey();
    const read = async (...include: 'CONFIGURATIONS'[]): Promise<unknown> =>
      (await world.ecs.send(new DescribeClustersCommand({ clusters: ['pods'], include }))).clusters?.[0]?.configuration;
    expect(await read()).toBeUndefined();
    expect(await read('CONFIGURATIONS')).toEqual({ executeCommandConfiguration: { kmsKeyId: arn } });
  });
});
