import * as z from 'zod/mini';
import { parseJson } from './acknowledgement.ts';
import type { DataKey, DataKeyRequest } from './data-key.ts';

/** As a client that signs its upgrade announces itself; the agent asks more of older ones. */
export const CLIENT_VERSION = '1.2.764.0';

const ACTION_DONE = 1;
const ACTION_FAILED = 2;
const ACTION_UNSUPPORTED = 3;
const SESSION_TYPES: readonly unknown[] = ['Standard_Stream', 'InteractiveCommands', 'NonInteractiveCommands'];
const KMS_ENCRYPTION = 'KMSEncryption';
const MOST_CHARACTERS = 2048;

const request = z.looseObject({
  RequestedClientActions: z._default(
    z.array(z.looseObject({ ActionType: z._default(z.string(), ''), ActionParameters: z.optional(z.unknown()) })),
    [],
  ),
});

const sessionType = z.looseObject({ SessionType: z.string() });

/** The agent runs beside strangers' code: what it names goes into calls and messages of ours. */
const kmsEncryption = z.looseObject({
  KMSKeyId: z.string().check(z.regex(/^[\w:/-]+$/), z.maxLength(MOST_CHARACTERS)),
  Challenge: z._default(z.string().check(z.maxLength(MOST_CHARACTERS)), ''),
});

type Action =
  | { readonly kind: 'nothing' | 'unsupported'; readonly type: string }
  | { readonly kind: 'encrypt'; readonly type: string; readonly dataKey: DataKeyRequest };

/** A HandshakeRequest. */
export interface Handshake {
  /** What is to be done, in the order it is asked for. */
  readonly actions: readonly Action[];
  /** For the payloads from now on; undefined where they stay as they are. */
  readonly dataKey: DataKeyRequest | undefined;
  /** What the agent asks for and we cannot do; the agent then ends the session. */
  readonly unsupported: readonly string[];
}

/** Reads what the agent asks for. Encryption with more than one key, or one without a proper name, is not supported. */
export const readHandshake = (payload: Uint8Array): Handshake => {
  const { data } = z.safeParse(request, parseJson(payload));
  let dataKey: DataKeyRequest | undefined;
  const actions = (data?.RequestedClientActions ?? []).map(
    ({ ActionType: type, ActionParameters: parameters }): Action => {
      if (type === 'SessionType') {
        const asked = z.safeParse(sessionType, parameters).data?.SessionType;
        return { type, kind: SESSION_TYPES.includes(asked) ? 'nothing' : 'unsupported' };
      }
      const { data: asked } = z.safeParse(kmsEncryption, parameters);
      if (type !== KMS_ENCRYPTION || asked === undefined || dataKey !== undefined) return { type, kind: 'unsupported' };
      dataKey = { keyId: asked.KMSKeyId, challenge: asked.Challenge === '' ? undefined : asked.Challenge };
      return { type, kind: 'encrypt', dataKey };
    },
  );
  return { actions, dataKey, unsupported: actions.flatMap(({ type, kind }) => (kind === 'unsupported' ? [type] : [])) };
};

/**
 * The payload of the response, as the official client makes it. Without a `key` where one is asked for, the agent is told
 * that there is none, but not why.
 *
 * The challenge of the request is acknowledged, other than by the official client: the agent then accepts no data key
 * that was made before it asked, and one that is set up to insist on that (`RequireKMSChallengeResponse`) works as well.
 */
export const answerHandshake = ({ actions }: Handshake, key?: DataKey): Buffer => {
  const answers = actions.map((action) => {
    switch (action.kind) {
      case 'nothing':
        return answerOf(action.type, ACTION_DONE);
      case 'unsupported':
        return answerOf(action.type, ACTION_UNSUPPORTED, `${action.type} is not supported`);
      case 'encrypt':
        return key === undefined
          ? answerOf(action.type, ACTION_FAILED, `the client has no data key of ${action.dataKey.keyId}`)
          : { ...answerOf(action.type, ACTION_DONE), ActionResult: resultOf(action.dataKey, key) };
      default:
        return action satisfies never;
    }
  });
  const response = { ClientVersion: CLIENT_VERSION, ProcessedClientActions: answers, Errors: null };
  return Buffer.from(JSON.stringify(response));
};

const answerOf = (type: string, status: number, error = ''): object => ({
  ActionType: type,
  ActionStatus: status,
  ActionResult: null,
  Error: error,
});

const resultOf = ({ challenge }: DataKeyRequest, { ciphertext }: DataKey): object => ({
  KMSCipherTextKey: Buffer.from(ciphertext).toString('base64'),
  KMSCipherTextHash: null,
  ...(challenge !== undefined && { ChallengeAcknowledgement: true }),
});
