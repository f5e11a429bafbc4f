import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';
import { InvalidError, NotFoundError, PermanentError, TransientError } from '../../core/errors.ts';
import type { RemoteSession } from '../../ports/remote-streams.ts';
import type { PodEndpoint } from './pod-endpoint.ts';

const MOST_BYTES = 64 * 1024 * 1024;

const session = z.object({
  sessionId: z.string(),
  streamUrl: z.string().check(z.regex(/^wss?:\/\//)),
  tokenValue: z.string(),
  framing: z.string(),
});

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
  const headers = { accept: 'application/vnd.svk.session+json' };
  const { namespace, name, container, kubelet } = endpoint;
  const request = {
    method: 'POST',
    path: `/exec/${namespace}/${name}/${container}`,
    query,
    headers,
    body: '',
  } as const;
  const parsed = session.safeParse(jsonOf(await textOf(await kubelet.send(request, signal))));
  if (!parsed.success)
    throw new PermanentError('the endpoint of the node answers with no session: is it one of this deployment?');
  return parsed.data;
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
