import type { IncomingHttpHeaders } from 'node:http';
import type { Exchange } from '../requests/exchange.ts';
import { getStored } from '../requests/read.ts';
import { nodes } from '../resources/nodes.ts';
import { relay } from './logs.ts';

/** Headers of one hop, and the caller's credentials, which are not the kubelet's business. */
const NOT_FORWARDED = [
  'authorization',
  'connection',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Any method on nodes/NAME/proxy/PATH: the node's kubelet answers. The real server refuses loopback addresses here;
 * ours does not, because all of the local cloud listens there.
 */
export const proxyToNode = async (exchange: Exchange, name: string, path: string): Promise<void> => {
  const { api, request, response, query } = exchange;
  const node = getStored(api.store, nodes, undefined, name);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const search = query.toString();
  const answer = await api.kubelet.send(node, {
    method: request.method ?? 'GET',
    path: `${path === '' ? '/' : path}${search === '' ? '' : `?${search}`}`,
    headers: { ...forwarded(request.headers), 'x-forwarded-for': '127.0.0.1' },
    body: request,
    signal: AbortSignal.any([gone.signal, api.closing]),
  });
  response.writeHead(answer.statusCode ?? 502, forwarded(answer.headers));
  response.flushHeaders();
  await relay(answer, response);
};

const forwarded = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_FORWARDED.includes(name)));
