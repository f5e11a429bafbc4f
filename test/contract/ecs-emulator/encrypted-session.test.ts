import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { GenerateDataKeyCommand } from '@aws-sdk/client-kms';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ExecKey, encryptSessions } from '../../support/exec-key.ts';
import { waitFor } from '../../support/local-cloud.ts';
import { startExecWorld } from './exec-world.ts';
import { type Message, memberOf, openSession, type SessionClient } from './session-client.ts';

interface Opened {
  readonly client: SessionClient;
  readonly key: ExecKey;
  /** What the client has to name for a data key. */
  readonly context: Readonly<Record<string, string>>;
  /** The agent's message of this type, when it has come. */
  readonly message: (payloadType: number) => Promise<Message>;
}

const open = async (command = 'sh'): Promise<Opened> => {
  const { aws, exec, task, taskArn } = await startExecWorld();
  const key = await encryptSessions(aws.url, 'pods');
  onTestFinished(() => key.close());
  const { runtimeId } = (await task(taskArn)).containers?.[0] ?? {};
  const session = await exec(command);
  const client = await openSession(session);
  return {
    client,
    key,
    context: {
      'aws:ssm:SessionId': session.sessionId ?? '',
      'aws:ssm:TargetId': `ecs:pods_${taskArn.split('/').at(-1)}_${runtimeId}`,
    },
    message: async (payloadType) => {
      const find = (): Message | undefined => client.messages.find((one) => one.payloadType === payloadType);
      await waitFor(async () => find() !== undefined, { withinMs: 15_000, what: `a message of type ${payloadType}` });
      return find() as Message;
    },
  };
};

const response = (status: number, result: unknown, error = ''): string =>
  JSON.stringify({
    ClientVersion: '1.2.0.0',
    ProcessedClientActions: [
      { ActionType: 'SessionType', ActionStatus: 1, ActionResult: null, Error: '' },
      { ActionType: 'KMSEncryption', ActionStatus: status, ActionResult: result, Error: error },
    ],
    Errors: null,
  });

const dataKey = async ({ key }: Opened, EncryptionContext: Readonly<Record<string, string>>) => {
  const input = { KeyId: key.arn, NumberOfBytes: 64, EncryptionContext };
  const { Plaintext = new Uint8Array(), CiphertextBlob = new Uint8Array() } = await key.kms.send(
    new GenerateDataKeyCommand(input),
  );
  return { plaintext: Buffer.from(Plaintext), blob: Buffer.from(CiphertextBlob).toString('base64') };
};

const sealed = (key: Buffer, text: Uint8Array | string): Buffer => {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key.subarray(32), nonce);
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
};

const opened = (key: Buffer, bytes: Buffer): Buffer => {
  const decipher = createDecipheriv('aes-256-gcm', key.subarray(0, 32), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
};

const challengeOf = (message: Message): Buffer => Buffer.from(String(memberOf(message, 'Challenge')), 'base64');

describe('a session of a cluster with a KMS key', () => {
  it.each([{ acknowledges: true }, { acknowledges: false }])(
    'begins with a handshake; then output and keys are encrypted, sizes not (challenge acknowledged: $acknowledges)',
    async ({ acknowledges }) => {
      const session = await open("sh -c 'stty -echo; stty size; read line; stty size; echo got $line'");
      const { client, context, message } = session;
      const request = await message(5);
      expect(request).toMatchObject({ type: 'output_stream_data', sequence: 0, flags: 1 });
      const [, demand] = memberOf(request, 'RequestedClientActions') as readonly {
        ActionParameters: { KMSKeyId: string; Challenge: string };
      }[];
      expect(demand).toMatchObject({ ActionType: 'KMSEncryption', ActionParameters: { KMSKeyId: session.key.arn } });
      const random = { 'aws:ssm:RandomChallenge': demand?.ActionParameters.Challenge ?? '' };
      const { plaintext, blob } = await dataKey(session, { ...context, ...(acknowledges && random) });
      client.send('lost');
      client.send(response(1, { KMSCipherTextKey: blob, ChallengeAcknowledgement: acknowledges }), 6);
      const challenge = opened(plaintext, challengeOf(await message(8)));
      expect(challenge).toHaveLength(64);
      client.send(JSON.stringify({ Challenge: sealed(plaintext, challenge).toString('base64') }), 9);
      expect(memberOf(await message(7), 'CustomerMessage')).toBe('This session is encrypted using AWS KMS.');
      const shown = (): string =>
        Buffer.concat(
          client.messages
            .filter(({ payloadType }) => payloadType === 1)
            .map(({ payload }) => opened(plaintext, payload)),
        ).toString();
      await waitFor(async () => shown() === '0 0\r\n', { withinMs: 15_000, what: 'the first size' });
      client.send('{"cols":132,"rows":43}', 3);
      client.send(sealed(plaintext, 'a b\r'));
      expect(await client.closed).toBe('');
      expect(shown()).toBe('0 0\r\n43 132\r\ngot a b\r\n');
    },
  );

  it.each([
    {
      want: 'a client that has no data key',
      answer: async () => response(2, null, 'AccessDenied'),
      text: 'KMSEncryption failed on client with status 2 error: AccessDenied',
    },
    {
      want: 'a data key of another session',
      answer: async (session: Opened) =>
        response(1, {
          KMSCipherTextKey: (await dataKey(session, { ...session.context, 'aws:ssm:SessionId': 's' })).blob,
        }),
      text: 'Fetching data key failed: Unable to retrieve data key, InvalidCiphertextException: ',
    },
    {
      want: 'a challenge that is said to be bound and is not',
      answer: async (session: Opened) =>
        response(1, {
          KMSCipherTextKey: (await dataKey(session, session.context)).blob,
          ChallengeAcknowledgement: true,
        }),
      text: 'Fetching data key failed: Unable to retrieve data key, InvalidCiphertextException: ',
    },
    {
      want: 'an answer that is none',
      answer: async () => 'what?',
      text: 'Unmarshalling of HandshakeResponse message failed',
    },
  ])('ends for $want, before its command starts', async ({ answer, text }) => {
    const session = await open("sh -c 'echo never'");
    await session.message(5);
    session.client.send(await answer(session), 6);
    expect(await session.client.closed).toBe(
      `\n----------ERROR-------\nEncountered error while initiating handshake. ${text}\n`,
    );
    expect(session.client.messages.filter(({ payloadType }) => payloadType === 1)).toEqual([]);
  });

  it('ends for a client that does not prove its key, and for one that says nothing', async () => {
    const session = await open();
    await session.message(5);
    const { blob } = await dataKey(session, session.context);
    session.client.send(response(1, { KMSCipherTextKey: blob }), 6);
    await session.message(8);
    session.client.send(JSON.stringify({ Challenge: 'AAAA' }), 9);
    expect(await session.client.closed).toContain('Encryption challenge does not match!');
    expect(await (await open()).client.closed).toContain('Handshake timed out.');
  });
});
