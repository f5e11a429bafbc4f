import * as z from 'zod/mini';
import { parseJson } from './acknowledgement.ts';

/** As a client that signs its upgrade announces itself; the agent asks more of older ones. */
export const CLIENT_VERSION = '1.2.764.0';

const ACTION_DONE = 1;
const ACTION_UNSUPPORTED = 3;
const SESSION_TYPES: readonly unknown[] = ['Standard_Stream', 'InteractiveCommands', 'NonInteractiveCommands'];

const request = z.looseObject({
  RequestedClientActions: z._default(
    z.array(z.looseObject({ ActionType: z._default(z.string(), ''), ActionParameters: z.optional(z.unknown()) })),
    [],
  ),
});

const sessionType = z.looseObject({ SessionType: z.string() });

export interface HandshakeAnswer {
  /** The payload of the response. */
  readonly payload: Buffer;
  /** What the agent asks for and we cannot do; the agent then ends the session. */
  readonly unsupported: readonly string[];
}

/** Answers a HandshakeRequest, as the official client would but for the encryption by KMS, which is not done here. */
export const answerHandshake = (payload: Uint8Array): HandshakeAnswer => {
  const { data } = z.safeParse(request, parseJson(payload));
  const answers = (data?.RequestedClientActions ?? []).map(({ ActionType, ActionParameters }) => {
    const type = z.safeParse(sessionType, ActionParameters).data?.SessionType;
    const able = ActionType === 'SessionType' && SESSION_TYPES.includes(type);
    return {
      ActionType,
      ActionStatus: able ? ACTION_DONE : ACTION_UNSUPPORTED,
      ActionResult: null,
      Error: able ? '' : `${ActionType} is not supported`,
    };
  });
  return {
    payload: Buffer.from(
      JSON.stringify({ ClientVersion: CLIENT_VERSION, ProcessedClientActions: answers, Errors: null }),
    ),
    unsupported: answers.filter(({ ActionStatus }) => ActionStatus !== ACTION_DONE).map(({ ActionType }) => ActionType),
  };
};
