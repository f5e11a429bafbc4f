import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';
import { InvalidError, NotFoundError, PermanentError, TransientError } from '../../core/errors.ts';
import type { RemoteDataKey, RemoteSession } from '../../ports/remote-streams.ts';
import type { DataKeyRequest } from '../../streaming/ssm/data-key.ts';
import type { PodEndpoint } from './pod-endpoint.ts';

const MOST_BYTES = 64 * 1024 * 1024;

const session = z.object({
  sessionId: z.string(),
  streamUrl: z.string().check(z.regex(/^wss?:\/\//)),
  tokenValue: z.string(),
  framing: z.string(),
});

const base64 = z.string().check(z.regex(/^[A-Za-z0-9+/]+={0,2}$/));
const sessionKey = z.object({ plaintext: base64, ciphertext: base64 });

const status = z.looseObject({ kind: z.literal('Status'), message: z.string() });

/** Has the kubelet start a command, to be carried here. */
export const requestSession = async (
  endpoint: PodEndpoint,
  {
    command,
    tty,
    stdin,
    direct,
  }: { readonly command: readonly string[]; readonly tty: boolean; readonly stdin: boolean; readonly direct: boolean },
  signal: AbortSignal,
): Promise<RemoteSession> => {
  const query = new URLSearchParams(command.map((word): [string, string] => ['command', word]));
  query.set('output', '1');
  if (stdin) query.set('input', '1');
  query.set(tty ? 'tty' : 'error', '1');
  if (direct) query.set('direct', '1');
  const parsed = session.safeParse(await answerOf(endpoint, 'application/vnd.svk.session+json', query, signal));
  if (!parsed.success)
    throw new PermanentError('the endpoint of the node answers with no session: is it one of this deployment?');
  return parsed.data;
};

/** Has the kubelet make the data key of a session that was opened there: here nobody may do that. */
export const requestSessionKey = async (
  endpoint: PodEndpoint,
  { sessionId, keyId, challenge }: DataKeyRequest & { readonly sessionId: string },
  signal: AbortSignal,
): Promise<RemoteDataKey> => {
  const query = new URLSearchParams({ session: sessionId, key: keyId });
  if (challenge !== undefined) query.set('challenge', challenge);
  const parsed = sessionKey.safeParse(await answerOf(endpoint, 'application/vnd.svk.session-key+json', query, signal));
  if (!parsed.success)
    throw new PermanentError(
      `the exec session is encrypted with the KMS key ${keyId}, and the endpoint of the node answers with no data key: is the deployment as new as this plugin?`,
    );
  const { plaintext, ciphertext } = parsed.data;
  return { plaintext: Buffer.from(plaintext, 'base64'), ciphertext: Buffer.from(ciphertext, 'base64') };
};

const answerOf = async (
  { namespace, name, container, kubelet }: PodEndpoint,
  accept: string,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<unknown> => {
  const path = `/exec/${namespace}/${name}/${container}`;
  const request = { method: 'POST', path, query, headers: { accept }, body: '' } as const;
  return jsonOf(await textOf(await kubelet.send(request, signal)));
};

/** What a container has written, by these options of kubelet's log API. */
export const requestLog = async (
  { namespace, name, container, kubelet }: PodEndpoint,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<string> => {
  const path = `/containerLogs/${namespace}/${name}/${container}`;
  return textOf(await kubelet.send({ method: 'GET', path, query, headers: {} }, signal));
};

const textOf = async (response: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response) {
    const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
    length += bytes.length;
    if (length > MOST_BYTES) throw new TransientError('the endpoint of the node answers without end');
    pieces.push(bytes);
  }
  const text = Buffer.concat(pieces).toString('utf8');
  const code = response.statusCode ?? 0;
  if (code >= 200 && code < 300) return text;
  throw refusalOf(code, messageOf(text));
};

const refusalOf = (code: number, message: string): Error => {
  if (code === 401) return new PermanentError(`the endpoint of the node does not know this token: ${message}`);
  if (code === 403) return new PermanentError(`not allowed: ${message}`);
  if (code === 404) return new NotFoundError(message);
  return code < 500 ? new InvalidError(message) : new TransientError(message || `HTTP status ${code}`);
};

const messageOf = (text: string): string => {
  const parsed = status.safeParse(jsonOf(text));
  return parsed.success ? parsed.data.message : text.trim().slice(0, 2000);
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
