import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import type { Workload } from '../../../src/model/workload.ts';
import type { Provider } from '../../../src/ports/provider.ts';
import { webFactory } from '../../../src/providers/web/web-factory.ts';
import { aProviderDeps } from '../../support/a-provider-deps.ts';
import { startExampleService } from '../../support/example-service.ts';
import type { ProviderWorld } from './provider-world.ts';

const TOKEN = 'of-this-test';
const { signal } = new AbortController();

/** The web provider with the example server, and a proxy between them that loses and refuses launches. */
export const webWorld = async (): Promise<ProviderWorld> => {
  const server = await startExampleService(TOKEN);
  onTestFinished(() => server.stop());
  const proxy = await startProxy(server.url);
  const folder = await mkdtemp(path.join(tmpdir(), 'svk-web-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const authorizationFile = path.join(folder, 'authorization');
  await writeFile(authorizationFile, `Bearer ${TOKEN}\n`);
  const { provider } = await webFactory.create(
    { url: proxy.url, authorizationFile },
    aProviderDeps({ clock: new SystemClock() }),
  );
  return {
    provider,
    pod: (uid, exitCode) => ({
      metadata: { uid, name: 'web', namespace: 'shop' },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'none',
            command: ['sh', '-c'],
            args: [`echo hello; echo bye; ${exitCode === undefined ? 'exec sleep 60' : `sleep 0.2; exit ${exitCode}`}`],
          },
        ],
      },
    }),
    reachRunning: (id) => until(provider, id, ({ phase }) => phase !== 'starting'),
    reachEnd: (id) => until(provider, id, ({ phase }) => phase === 'stopped'),
    reachStopped: (id) => until(provider, id, ({ phase }) => phase === 'stopped'),
    loseLaunch: (when) => proxy.next(when),
    refuseLaunch: (cause) => proxy.next(cause),
    watching: () => proxy.watching,
  };
};

const until = async (provider: Provider, id: string, isThere: (workload: Workload) => boolean): Promise<void> => {
  for (;;) {
    const [workload] = (await provider.describe([id], signal)).workloads;
    if (workload && isThere(workload)) return;
    await delay(5);
  }
};

type Mishap = 'before' | 'after' | 'capacity' | 'quota';

const startProxy = async (
  target: string,
): Promise<{ readonly url: string; readonly watching: Promise<void>; next(mishap: Mishap): void }> => {
  const mishaps: Mishap[] = [];
  const watching = Promise.withResolvers<void>();
  const proxy = http.createServer((request, response) => {
    const mishap = request.url === '/v1/launch' ? mishaps.shift() : undefined;
    if (mishap === 'before') return void request.socket.destroy();
    if (mishap === 'capacity' || mishap === 'quota') {
      response.end(JSON.stringify({ kind: 'refused', cause: mishap, final: true, message: `no ${mishap}` }));
      return;
    }
    forward(request, response, target, (answer) => {
      if (request.url === '/v1/watch') watching.resolve();
      if (mishap === 'after') return void request.socket.destroy();
      response.writeHead(answer.statusCode ?? 0, answer.headers).flushHeaders();
      answer.pipe(response);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    watching: watching.promise,
    next: (mishap) => void mishaps.push(mishap),
  };
};

const forward = (
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  take: (answer: IncomingMessage) => void,
): void => {
  const { method, headers, url = '' } = request;
  const onward = http.request(new URL(url, target), { ...(method && { method }), headers, agent: false }, take);
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
};
