import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EcsService } from '../ecs/ecs-service.ts';

/** The task metadata endpoint, listening. */
export interface MetadataServer {
  readonly url: string;
  close(): Promise<void>;
}

/** An engine that measures takes a second or two for it. */
const answerWithinMs = 10_000;

/**
 * Serves the containers' own metadata on an address they reach; undefined where this machine has no such address (an engine
 * in a virtual machine). Nothing is told without the unguessable path a container was given.
 */
export const serveMetadata = async (
  ecs: Pick<EcsService, 'metadata'>,
  host: string,
): Promise<MetadataServer | undefined> => {
  const server = createServer((request, response) => {
    if (request.method !== 'GET') return send(response, 405, { error: 'Method not allowed' });
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('the container has gone away')));
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(answerWithinMs)]);
    ecs.metadata(request.url ?? '', signal).then(
      (answer) => (answer ? send(response, 200, answer.body) : send(response, 404, { error: 'not found' })),
      (error: unknown) => send(response, 500, { error: String(error) }),
    );
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, host, resolve);
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL') return undefined;
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
};

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
