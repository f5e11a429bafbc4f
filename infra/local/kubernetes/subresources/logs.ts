import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type FieldError, forbidden, invalid } from '../model/field-error.ts';
import type { KubernetesObject } from '../model/object.ts';
import { badRequest, invalidObject, notFound } from '../model/status.ts';
import type { Exchange } from '../requests/exchange.ts';
import { integerOption, isTrue } from '../requests/options.ts';
import { getStored } from '../requests/read.ts';
import { pods } from '../resources/pods.ts';
import { asPod } from '../resources/typed.ts';
import { kubeletError } from './kubelet-error.ts';

/** GET pods/NAME/log: checked here, answered by the node's kubelet, passed on as it comes. */
export const getLog = async (exchange: Exchange, namespace: string, name: string): Promise<void> => {
  const { api, query, response } = exchange;
  const pod = getStored(api.store, pods, namespace, name);
  const parameters = kubeletQuery(query, name);
  const container = containerOf(pod, query.get('container') ?? '');
  const nodeName = asPod(pod).spec?.nodeName ?? '';
  if (nodeName === '') {
    response.writeHead(204, { 'content-type': 'text/plain' }).end();
    return;
  }
  const node = api.store.get('nodes', undefined, nodeName);
  if (!node) throw notFound({ group: '', resource: 'nodes' }, nodeName);
  const path = `/containerLogs/${namespace}/${name}/${container}${parameters === '' ? '' : `?${parameters}`}`;
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const answer = await api.kubelet.send(node, {
    method: 'GET',
    path,
    signal: AbortSignal.any([gone.signal, api.closing]),
  });
  const code = answer.statusCode ?? 500;
  if (code < 200 || code > 206) throw kubeletError(code, { resource: 'pods/log', name }, await firstBytes(answer));
  response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-cache, private' });
  response.flushHeaders();
  await relay(answer, response);
};

/** Passes a body on until either side ends; a broken kubelet connection breaks the client's. */
export const relay = async (from: IncomingMessage, to: ServerResponse): Promise<void> => {
  try {
    await pipeline(from, to);
  } catch {
    to.destroy();
  }
};

const MOST_ERROR_BYTES = 50_000;

const firstBytes = async (answer: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    text += chunk.toString('utf8');
    if (text.length > MOST_ERROR_BYTES) break;
  }
  return text.slice(0, MOST_ERROR_BYTES);
};

/** Validates PodLogOptions and writes them as the kubelet's query. @throws {ApiError} 422, 400 */
const kubeletQuery = (query: URLSearchParams, name: string): string => {
  const options = new URLSearchParams();
  const tailLines = integerOption(query, 'tailLines');
  const limitBytes = integerOption(query, 'limitBytes');
  const sinceSeconds = integerOption(query, 'sinceSeconds');
  const sinceTime = query.get('sinceTime');
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalid('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(invalid('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime) {
    errors.push(forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  }
  if (errors.length > 0) throw invalidObject('', 'PodLogOptions', name, errors);
  for (const flag of ['follow', 'previous', 'timestamps']) if (isTrue(query.get(flag))) options.set(flag, 'true');
  for (const option of ['limitBytes', 'sinceSeconds', 'sinceTime', 'tailLines']) {
    const value = query.get(option);
    if (value) options.set(option, value);
  }
  const stream = query.get('stream');
  if (stream && stream !== 'All') options.set('stream', stream);
  options.sort();
  return options.toString();
};

/** The container whose log is asked for; a pod with one needs no name. @throws {ApiError} 400 */
const containerOf = (object: KubernetesObject, asked: string): string => {
  const { metadata, spec } = asPod(object);
  const name = metadata?.name ?? '';
  const containers = spec?.containers ?? [];
  const inits = spec?.initContainers ?? [];
  const ephemeral = spec?.ephemeralContainers ?? [];
  if (asked !== '') {
    if ([...containers, ...inits, ...ephemeral].some((container) => container.name === asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  const preferred = metadata?.annotations?.['kubectl.kubernetes.io/default-container'];
  const only =
    containers.length === 1 ? containers[0]?.name : containers.find((container) => container.name === preferred)?.name;
  if (only !== undefined) return only;
  const names = (list: readonly { readonly name: string }[]): string =>
    `[${list.map((container) => container.name).join(' ')}]`;
  const also = inits.length > 0 ? ` or one of the init containers: ${names(inits)}` : '';
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: ${names(containers)}${also}`);
};
