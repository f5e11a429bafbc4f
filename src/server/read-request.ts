import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { readClientCertificate } from '../kubelet/client-certificate.ts';
import type { ClientCertificate, KubeletRequest } from '../kubelet/http.ts';
import { readQuery } from '../kubelet/query.ts';

/** No call of the kubelet API has a body worth the name; whatever is longer is refused with 413. */
const MAX_BODY_BYTES = 1_048_576;

export interface Arrival {
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
  /** In milliseconds since the epoch. */
  readonly now: number;
}

/** The request as handlers see it; undefined where its body is too long. Rejects where the connection breaks. */
export const readRequest = async (message: IncomingMessage, arrival: Arrival): Promise<KubeletRequest | undefined> => {
  const body = await readBody(message);
  if (body === undefined) return undefined;
  return { ...requestOf(message, arrival), ...(body.length === 0 ? {} : { body }) };
};

/** The same without the body: a request for an upgrade has none. */
export const requestOf = (message: IncomingMessage, { signal, now }: Arrival): KubeletRequest => {
  const url = originForm(message.url ?? '/');
  const mark = url.indexOf('?');
  const clientCertificate = verifiedCertificateOf(message, now);
  return {
    method: message.method ?? 'GET',
    path: mark === -1 ? url : url.slice(0, mark),
    ...readQuery(mark === -1 ? '' : url.slice(mark + 1)),
    headers: headersOf(message),
    signal,
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
  };
};

/** A target in absolute form, as to a proxy, which every server must take (RFC 9112, 3.2.2), without scheme and authority. */
const originForm = (target: string): string => target.replace(/^https?:\/\/[^/?]*\/?/i, '/');

const readBody = async (message: IncomingMessage): Promise<Uint8Array | undefined> => {
  const chunks: Buffer[] = [];
  let length = 0;
  // Not destroyed when we stop reading: the refusal must still go out.
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    const bytes: unknown = chunk;
    if (!Buffer.isBuffer(bytes)) continue;
    length += bytes.length;
    if (length > MAX_BODY_BYTES) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
};

const headersOf = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]));

/**
 * `authorized` alone does not do: it is also true for a resumed session that never showed a certificate, and for a
 * connection that was made before its certificate expired.
 */
const verifiedCertificateOf = ({ socket }: IncomingMessage, now: number): ClientCertificate | undefined => {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const peer = socket.getPeerX509Certificate();
  return peer === undefined || peer.validToDate.getTime() <= now ? undefined : readClientCertificate(peer.raw);
};
