import * as z from 'zod/mini';
import { InvalidError } from '../core/errors.ts';
import { readClientCertificate } from '../kubelet/client-certificate.ts';
import type { KubeletRequest } from '../kubelet/http.ts';
import { readQuery } from '../kubelet/query.ts';

/** A request as API Gateway handed it over. */
export type GatewayRequest = Omit<KubeletRequest, 'signal'>;

const texts = z.nullish(z.record(z.string(), z.optional(z.string())));
const lists = z.nullish(z.record(z.string(), z.optional(z.array(z.string()))));
const clientCert = z.nullish(z.looseObject({ clientCertPem: z.string() }));

const httpApiEvent = z.looseObject({
  version: z.literal('2.0'),
  rawPath: z.string(),
  rawQueryString: z.optional(z.string()),
  headers: texts,
  body: z.nullish(z.string()),
  isBase64Encoded: z.optional(z.boolean()),
  stageVariables: texts,
  requestContext: z.looseObject({
    stage: z.optional(z.string()),
    http: z.looseObject({ method: z.string() }),
    authentication: z.nullish(z.looseObject({ clientCert })),
  }),
});

const restApiEvent = z.looseObject({
  path: z.string(),
  httpMethod: z.string(),
  headers: texts,
  multiValueHeaders: lists,
  queryStringParameters: texts,
  multiValueQueryStringParameters: lists,
  body: z.nullish(z.string()),
  isBase64Encoded: z.optional(z.boolean()),
  stageVariables: texts,
  requestContext: z.looseObject({ identity: z.nullish(z.looseObject({ clientCert })) }),
});

/**
 * Reads an event of an HTTP API (payload 2.0) or of a REST API. A client certificate is in an event only where the
 * domain asks for one, and API Gateway has verified it against the domain's trust store.
 * @throws {InvalidError} where it is neither.
 */
export const parseGatewayEvent = (event: unknown): GatewayRequest => {
  const http = httpApiEvent.safeParse(event);
  if (http.success) return fromHttpApi(http.data);
  const rest = restApiEvent.safeParse(event);
  if (rest.success) return fromRestApi(rest.data);
  throw new InvalidError('the event is neither one of an HTTP API (payload 2.0) nor of a REST API');
};

const fromHttpApi = (event: z.infer<typeof httpApiEvent>): GatewayRequest => {
  const { stage = '$default', http, authentication } = event.requestContext;
  return {
    method: http.method.toUpperCase(),
    path: withoutStage(event.rawPath, stage),
    ...readQuery(event.rawQueryString ?? ''),
    headers: lowerCased(Object.entries(event.headers ?? {}).map(([name, value]) => [name, value ?? ''])),
    ...nodeOf(event.stageVariables),
    ...bodyOf(event),
    ...certificateOf(authentication?.clientCert),
  };
};

const fromRestApi = (event: z.infer<typeof restApiEvent>): GatewayRequest => ({
  method: event.httpMethod.toUpperCase(),
  path: event.path,
  query: new URLSearchParams(pairsOf(event.multiValueQueryStringParameters, event.queryStringParameters)),
  headers: lowerCased(pairsOf(event.multiValueHeaders, event.headers)),
  ...nodeOf(event.stageVariables),
  ...bodyOf(event),
  ...certificateOf(event.requestContext.identity?.clientCert),
});

/** The stage of a node's own API says whose it is. */
const nodeOf = (variables: z.infer<typeof texts>): { readonly node?: string } =>
  variables?.['node'] === undefined ? {} : { node: variables['node'] };

const withoutStage = (path: string, stage: string): string =>
  stage !== '$default' && (path === `/${stage}` || path.startsWith(`/${stage}/`))
    ? path.slice(stage.length + 1) || '/'
    : path;

/** All values where there is a list of each, else the single ones. */
const pairsOf = (many: z.infer<typeof lists>, single: z.infer<typeof texts>): [string, string][] =>
  many
    ? Object.entries(many).flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value]))
    : Object.entries(single ?? {}).map(([name, value]) => [name, value ?? '']);

const lowerCased = (pairs: readonly (readonly [string, string])[]): Record<string, string> => {
  const headers = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
};

const bodyOf = ({
  body,
  isBase64Encoded,
}: {
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}): { readonly body?: Uint8Array } =>
  body ? { body: new Uint8Array(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')) } : {};

const certificateOf = (cert: z.infer<typeof clientCert>): Pick<GatewayRequest, 'clientCertificate'> =>
  cert ? { clientCertificate: readClientCertificate(cert.clientCertPem) } : {};
