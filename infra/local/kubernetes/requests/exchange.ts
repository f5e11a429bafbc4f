import type { IncomingMessage, ServerResponse } from 'node:http';
import { stringify } from 'yaml';
import type { UserInfo } from '../access/user.ts';
import type { Api } from '../api.ts';
import type { StatusBody } from '../model/status.ts';
import type { Representation } from './negotiate.ts';

/** One request with what was found out about it, and its answer. */
export interface Exchange {
  readonly api: Api;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly user: UserInfo;
  readonly representation: Representation;
}

/** Answers with a JSON (or YAML) body. `warnings` become `Warning` headers, which kubectl prints. */
export const respond = (
  { response, representation }: Pick<Exchange, 'response' | 'representation'>,
  code: number,
  body: object,
  warnings: readonly string[] = [],
): void => {
  if (warnings.length > 0) {
    response.setHeader(
      'warning',
      warnings.map((warning) => `299 - ${JSON.stringify(warning)}`),
    );
  }
  const isYaml = representation.encoding === 'yaml';
  const text = isYaml
    ? stringify(body, { version: '1.1', sortMapEntries: true, lineWidth: 0 })
    : `${JSON.stringify(body)}\n`;
  response.writeHead(code, {
    'content-type': isYaml ? 'application/yaml' : 'application/json',
    'cache-control': 'no-cache, private',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
};

/** Answers with a `Status`, always JSON. */
export const respondStatus = (response: ServerResponse, status: StatusBody): void => {
  const text = `${JSON.stringify(status)}\n`;
  response.writeHead(status.code ?? 200, {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
};
