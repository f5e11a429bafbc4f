import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { headersOf, type ProxyEventOptions, queryOf, splitUrl, type Values } from './proxy-event.ts';

/**
 * The event of an HTTP API's `$default` route (payload version 2.0): lower-case headers and query values joined by
 * commas, the body in base64, the client certificate under `authentication`.
 */
export const toHttpEvent = (
  request: IncomingMessage,
  options: Omit<ProxyEventOptions, 'resource'>,
): APIGatewayProxyEventV2 => {
  const [rawPath, rawQueryString] = splitUrl(request.url ?? '/');
  const query = queryOf(rawQueryString);
  const now = Date.now();
  const domainName = (request.headers.host ?? '').replace(/:\d+$/, '');
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers: joined(headersOf(request, options.port)),
    ...(query === null ? {} : { queryStringParameters: joined(query) }),
    ...(options.stageVariables === undefined ? {} : { stageVariables: { ...options.stageVariables } }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      ...(options.clientCert === undefined ? {} : { authentication: { clientCert: options.clientCert } }),
      domainName,
      domainPrefix: domainName.split('.')[0] ?? '',
      http: {
        method: request.method ?? 'GET',
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: request.socket.remoteAddress ?? '',
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: new Date(now).toUTCString(),
      timeEpoch: now,
    },
    ...(options.body.length === 0 ? {} : { body: Buffer.from(options.body).toString('base64') }),
    isBase64Encoded: options.body.length > 0,
  };
};

const joined = (values: Values): Record<string, string> => {
  const result: Record<string, string> = {};
  for (const [name, all] of Object.entries(values)) {
    const key = name.toLowerCase();
    result[key] = [...(result[key] === undefined ? [] : [result[key]]), ...all].join(',');
  }
  return result;
};
