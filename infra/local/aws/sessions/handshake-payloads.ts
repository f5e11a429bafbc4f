import * as z from 'zod/mini';
import { bytesOf, parsedJson, textOf } from './json-payload.ts';

/** What the agent asks of the client before it starts the command. */
export const handshakeRequestOf = (kmsKeyId: string, challenge: string): Uint8Array =>
  bytesOf({
    AgentVersion: '3.3.0.0',
    RequestedClientActions: [
      {
        ActionType: 'SessionType',
        ActionParameters: { SessionType: 'InteractiveCommands', Properties: null },
      },
      { ActionType: 'KMSEncryption', ActionParameters: { KMSKeyId: kmsKeyId, Challenge: challenge } },
    ],
  });

export const handshakeCompleteOf = (tookMs: number): Uint8Array =>
  bytesOf({
    HandshakeTimeToComplete: Math.round(tookMs * 1_000_000),
    CustomerMessage: 'This session is encrypted using AWS KMS.',
  });

export const challengeOf = (sealed: Uint8Array): Uint8Array =>
  bytesOf({ Challenge: Buffer.from(sealed).toString('base64') });

const challenge = z.object({ Challenge: z.string() });

/** Empty for what is no challenge. */
export const parseChallenge = (payload: Uint8Array): Buffer =>
  Buffer.from(z.safeParse(challenge, parsedJson(textOf(payload))).data?.Challenge ?? '', 'base64');

/** What the client has done about the encryption. */
export type EncryptionAnswer =
  | { readonly blob: Buffer; readonly isBoundToChallenge: boolean }
  | { readonly failure: string };

const response = z.object({
  ClientVersion: z.string(),
  ProcessedClientActions: z.array(
    z.object({
      ActionType: z.string(),
      ActionStatus: z.int(),
      ActionResult: z.optional(z.unknown()),
      Error: z._default(z.string(), ''),
    }),
  ),
});

const encryptionResult = z.object({
  KMSCipherTextKey: z.string(),
  ChallengeAcknowledgement: z._default(z.boolean(), false),
});

const succeeded = 1;

/** Reads a response; failures are in the agent's words. */
export const parseHandshakeResponse = (payload: Uint8Array): EncryptionAnswer => {
  const parsed = z.safeParse(response, parsedJson(textOf(payload)));
  if (!parsed.success) return { failure: 'Unmarshalling of HandshakeResponse message failed' };
  const actions = parsed.data.ProcessedClientActions;
  const failed = actions.find(({ ActionStatus }) => ActionStatus !== succeeded);
  if (failed) {
    const { ActionType, ActionStatus, Error: text } = failed;
    return { failure: `${ActionType} failed on client with status ${ActionStatus} error: ${text}` };
  }
  const encryption = actions.find(({ ActionType }) => ActionType === 'KMSEncryption');
  const result = z.safeParse(encryptionResult, encryption?.ActionResult);
  if (!result.success) return { failure: 'Fetching data key failed: the client has answered without one' };
  return {
    blob: Buffer.from(result.data.KMSCipherTextKey, 'base64'),
    isBoundToChallenge: result.data.ChallengeAcknowledgement,
  };
};
