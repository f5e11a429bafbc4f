import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../../src/core/clock.ts';
import type { Logger } from '../../../../src/ports/logger.ts';
import { HttpClient } from '../../../../src/providers/web/http-client.ts';
import { WebProvider } from '../../../../src/providers/web/web-provider.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';

export interface SeenCall {
  readonly line: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

type Respond = (response: ServerResponse, call: SeenCall) => void;

/** A service that answers as the test says, and what it was asked. */
export interface StubService {
  readonly url: string;
  readonly seen: readonly SeenCall[];
  answer(respond: Respond): void;
}

export const startService = async (respond: Respond): Promise<StubService> => {
  const seen: SeenCall[] = [];
  let current = respond;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const call = { line: `${method} ${url}`, body: await text(request), headers };
    seen.push(call);
    current(response, call);
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    seen,
    answer: (next) => {
      current = next;
    },
  };
};

export interface ProviderOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly authorizationFile?: string;
}

/** The provider for a service; its deadline is ten seconds of `clock`. */
export const providerOf = (
  url: string,
  { clock = new FakeClock(), logger = new RecordingLogger(), authorizationFile }: ProviderOptions = {},
): WebProvider => {
  const config = { url, timeoutMs: 10_000, node: {}, ...(authorizationFile !== undefined && { authorizationFile }) };
  return new WebProvider({ client: new HttpClient({ config, clock }), clock, logger });
};

export const json =
  (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Respond =>
  (response) =>
    void response.writeHead(status, headers).end(JSON.stringify(value));

export const WORKLOAD = {
  id: 'w-1',
  podUid: 'u-1',
  attempt: 1,
  try: 1,
  version: 1,
  phase: 'running',
  stopping: false,
  ips: ['10.0.0.1'],
  containers: [{ name: 'main', state: 'running' }],
} as const;
