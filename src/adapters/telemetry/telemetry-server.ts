import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { ListenAddress, TelemetryServer } from '../../ports/metrics.ts';

/** The body of an answer to `/metrics`. */
export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

export interface TelemetryServerOptions {
  readonly isReady: () => boolean;
  readonly expose: () => Promise<Exposition>;
}

interface Answer {
  readonly status: number;
  readonly contentType?: string;
  readonly text: string;
}

/**
 * Serves `/metrics`, `/healthz` and `/readyz` over plain HTTP, to whoever reaches the address.
 * @throws where the address cannot be listened at.
 */
export const startTelemetryServer = async (
  { host, port }: ListenAddress,
  options: TelemetryServerOptions,
): Promise<TelemetryServer> => {
  const server = createServer((request, response) => void answer(request, response, options));
  server.listen({ port, ...(host !== '' && { host }) });
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  options: TelemetryServerOptions,
): Promise<void> => {
  const { status, contentType = 'text/plain; charset=utf-8', text } = await answerOf(request, options);
  response.writeHead(status, { 'content-type': contentType, ...(status === 405 && { allow: 'GET, HEAD' }) }).end(text);
};

const answerOf = async (
  { method, url = '/' }: IncomingMessage,
  { isReady, expose }: TelemetryServerOptions,
): Promise<Answer> => {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'only GET and HEAD\n' };
  switch (url.split('?')[0]) {
    case '/healthz':
      return { status: 200, text: 'ok' };
    case '/readyz':
      return isReady() ? { status: 200, text: 'ok' } : { status: 503, text: 'not ready' };
    case '/metrics':
      try {
        return { status: 200, ...(await expose()) };
      } catch {
        return { status: 500, text: 'the figures cannot be read\n' };
      }
    default:
      return { status: 404, text: 'there are /metrics, /healthz and /readyz\n' };
  }
};
