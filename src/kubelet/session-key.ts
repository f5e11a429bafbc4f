import * as z from 'zod/mini';
import type { Logger } from '../ports/logger.ts';
import type { Provider } from '../ports/provider.ts';
import type { Caller } from './caller.ts';
import type { KubeletRequest, KubeletResponse } from './http.ts';
import { failure, json } from './responses.ts';
import type { RemoteCommandRoute } from './route.ts';
import { subjectOf } from './session-audit.ts';
import { findSessionTarget, type SessionTargetDependencies } from './session-target.ts';

export interface SessionKeyDependencies extends SessionTargetDependencies {
  readonly provider: Pick<Provider, 'name' | 'find' | 'sessionKey'>;
  readonly logger: Logger;
}

/** Media type of the answer, by which it is asked for. */
export const SESSION_KEY = 'application/vnd.svk.session-key+json';

const asked = z.object({
  session: z.string().check(z.regex(/^[\w-]{1,96}$/)),
  key: z.string().check(z.regex(/^[\w:/-]{1,2048}$/)),
  challenge: z.nullable(z.string().check(z.maxLength(2048))),
});

/**
 * `POST /exec/…` with `Accept: application/vnd.svk.session-key+json`: the data key, `{plaintext, ciphertext}` in base64,
 * of a session that was opened here (`session`) and that the agent in the container encrypts with the key `key` of KMS,
 * bound to its `challenge` where it has sent one. The caller may run commands in this container; a new key opens nothing
 * that somebody else has.
 */
export const giveSessionKey = async (
  { query, signal }: KubeletRequest,
  route: RemoteCommandRoute,
  caller: Caller,
  dependencies: SessionKeyDependencies,
): Promise<KubeletResponse> => {
  const { provider, node, logger } = dependencies;
  if (provider.sessionKey === undefined)
    return failure(501, 'NotImplemented', `provider ${provider.name} of node ${node} encrypts no sessions`);
  const { data } = asked.safeParse({
    session: query.get('session'),
    key: query.get('key'),
    challenge: query.get('challenge'),
  });
  if (data === undefined)
    return failure(400, 'BadRequest', 'session, key or challenge is missing or malformed: they come from the session');
  const target = await findSessionTarget(route, dependencies, signal);
  if (!target.ok) return target.refusal;
  const { podUid, workloadId } = target;
  const { session: sessionId, key: keyId } = data;
  const container = route.container ?? '';
  const challenge = data.challenge ?? undefined;
  const made = await provider.sessionKey({ workloadId, container, sessionId, keyId, challenge }, signal);
  logger.info('session key given', { ...subjectOf(route, caller, { podUid }), sessionId, keyId });
  const answer = json(200, { plaintext: base64(made.plaintext), ciphertext: base64(made.ciphertext) });
  return { ...answer, headers: { 'content-type': SESSION_KEY, 'cache-control': 'no-store' } };
};

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
