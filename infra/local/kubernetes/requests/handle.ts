import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator } from '../access/authenticate.ts';
import { type Attributes, forbiddenFor, isAllowed } from '../access/authorize.ts';
import type { Api } from '../api.ts';
import { discoveryDocument } from '../discovery.ts';
import { ApiError, internal, noSuchResource, unauthorized } from '../model/status.ts';
import { openApiDocument, openApiIndex, swaggerDocument } from '../schema/openapi.ts';
import { dispatch } from './dispatch.ts';
import { type Exchange, respond, respondStatus } from './exchange.ts';
import { negotiate, type Representation } from './negotiate.ts';
import { isTrue } from './options.ts';
import { parseRoute, type Route, verbOf } from './route.ts';

/** What `/version` says; the git version names this server so that nobody takes it for a real one. */
const VERSION = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3+embedded',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: `${process.platform}/${process.arch}`,
};

const PLAIN: Representation = { encoding: 'json', as: 'object' };

/** The way of every request: who is it, what is it for, may they, do it; errors become a Status. */
export const handle = async (
  api: Api,
  authenticator: Authenticator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  try {
    const url = new URL(request.url ?? '/', 'https://localhost');
    const user = authenticator.identify(request, url.pathname);
    if (!user) throw unauthorized();
    const route = parseRoute(url.pathname);
    const attributes = attributesOf(request.method ?? 'GET', route, url.searchParams);
    if (!isAllowed(user, attributes)) throw forbiddenFor(user, attributes);
    const base = { api, request, response, query: url.searchParams, user };
    if (route.kind === 'path') {
      onPath({ ...base, representation: PLAIN }, url.pathname);
    } else {
      const isRaw = route.subresource === 'log' || route.subresource === 'proxy';
      const representation = isRaw ? PLAIN : negotiate(request.headers.accept);
      await dispatch({ ...base, representation }, route, authenticator);
    }
  } catch (error) {
    answerError(response, error);
  }
};

const attributesOf = (method: string, route: Route, query: URLSearchParams): Attributes => {
  if (route.kind === 'path') return { kind: 'path', verb: method.toLowerCase(), path: route.path };
  const { group, resource, subresource, namespace, name } = route;
  const ownName = resource === 'namespaces' && namespace === undefined ? name : namespace;
  return {
    kind: 'resource',
    verb: verbOf(method, route, isTrue(query.get('watch'))),
    group,
    resource,
    subresource,
    namespace: ownName,
    name,
  };
};

const onPath = (exchange: Exchange, path: string): void => {
  const { response } = exchange;
  const trimmed = path.replace(/(?<=.)\/$/, '');
  if (/^\/(healthz|livez|readyz)(\/.*)?$/.test(trimmed)) {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('ok');
    return;
  }
  const document = documentAt(trimmed, exchange.request.headers.accept ?? '');
  if (!document) throw noSuchResource();
  respond(exchange, 200, document);
};

const documentAt = (path: string, accept: string): object | undefined => {
  if (path === '/version') return VERSION;
  if (path === '/openapi/v3') return openApiIndex();
  if (path.startsWith('/openapi/v3/')) return openApiDocument(path.slice('/openapi/v3/'.length));
  if (path === '/openapi/v2') {
    negotiate(accept.replace(/application\/com\.github\.proto-openapi\S*?(?=,|;|$)/g, 'application/x-protobuf'));
    return swaggerDocument();
  }
  return discoveryDocument(path);
};

const answerError = (response: ServerResponse, error: unknown): void => {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const known = error instanceof ApiError ? error : internal(error instanceof Error ? error.message : String(error));
  if (known.code === 401) response.setHeader('www-authenticate', 'Bearer');
  respondStatus(response, known.status);
};
