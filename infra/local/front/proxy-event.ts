import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayProxyEventQueryStringParameters } from 'aws-lambda';
import type { ClientCert } from './client-cert.ts';

export interface ProxyEventOptions {
  /** The matched resource: `/{proxy+}`, `/containerLogs/{proxy+}`. */
  readonly resource: string;
  readonly body: Uint8Array;
  readonly clientCert?: ClientCert | undefined;
  readonly stageVariables?: Readonly<Record<string, string>> | undefined;
  readonly port: number;
}

/**
 * The event of a REST API's Lambda proxy integration (every media type binary, a stage without a prefix): multi-value
 * headers and query, body in base64, hop-by-hop headers taken away, so that an upgrade arrives as the plain request it
 * is to API Gateway.
 */
export const toProxyEvent = (request: IncomingMessage, options: ProxyEventOptions): APIGatewayProxyEvent => {
  const [path, search] = splitUrl(request.url ?? '/');
  const multiValueHeaders = headersOf(request, options.port);
  const query = queryOf(search);
  const method = request.method ?? 'GET';
  const prefix = options.resource.replace('{proxy+}', '');
  const host = request.headers.host ?? '';
  return {
    resource: options.resource,
    path,
    httpMethod: method,
    headers: lastOf(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: query === null ? null : lastOf(query),
    multiValueQueryStringParameters: query,
    pathParameters: path === '/' ? null : { proxy: path.slice(prefix.length) },
    stageVariables: options.stageVariables === undefined ? null : { ...options.stageVariables },
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: null,
      protocol: 'HTTP/1.1',
      httpMethod: method,
      path,
      stage: 'local',
      requestId: randomUUID(),
      requestTimeEpoch: Date.now(),
      resourceId: 'local',
      resourcePath: options.resource,
      domainName: host.replace(/:\d+$/, ''),
      identity: identityOf(request, options.clientCert),
    },
    body: options.body.length === 0 ? null : Buffer.from(options.body).toString('base64'),
    isBase64Encoded: options.body.length > 0,
  };
};

const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** All values of each name. */
export type Values = Record<string, string[]>;

/** The client's headers but for hop-by-hop ones, and those a gateway adds. */
export const headersOf = ({ rawHeaders, socket }: IncomingMessage, port: number): Values => {
  const values: Values = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (HOP_BY_HOP.has(name.toLowerCase())) continue;
    values[name] = [...(values[name] ?? []), rawHeaders[index + 1] ?? ''];
  }
  values['X-Forwarded-For'] = [...(values['X-Forwarded-For'] ?? []), socket.remoteAddress ?? ''];
  values['X-Forwarded-Port'] = [String(port)];
  values['X-Forwarded-Proto'] = ['https'];
  return values;
};

/** Path and query of a request line, both as they came. */
export const splitUrl = (url: string): readonly [string, string] => {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
};

/** Decoded; null without a query. */
export const queryOf = (search: string): Values | null => {
  if (search === '') return null;
  const values: Values = {};
  for (const [name, value] of new URLSearchParams(search)) values[name] = [...(values[name] ?? []), value];
  return values;
};

const lastOf = (values: Values): APIGatewayProxyEventQueryStringParameters =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1)]));

const identityOf = (
  { socket, headers }: IncomingMessage,
  clientCert: ClientCert | undefined,
): APIGatewayProxyEvent['requestContext']['identity'] => ({
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: clientCert ?? null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  sourceIp: socket.remoteAddress ?? '',
  user: null,
  userAgent: headers['user-agent'] ?? null,
  userArn: null,
});
