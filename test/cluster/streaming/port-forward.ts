import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { forwardedPorts } from '../../support/forwarded-ports.ts';
import { startKubectl } from '../../support/kubectl-process.ts';
import type { StreamingWorld } from '../../support/streaming/streaming-world.ts';
import { randomlyFilled } from '../../support/streaming/test-bytes.ts';
import { podOf, type Way } from './way.ts';

/** kubectl port-forward. */
export const portForwardTests = (world: () => StreamingWorld, way: Way): void => {
  const { client, node, forward } = way;
  const pod = podOf(way);

  it('X-08 forwards fifty connections side by side, and each half of one to its end', async () => {
    const web = createServer((_request, response) => response.end('x'.repeat(100_000))).listen(0, '127.0.0.1');
    const echo = createTcpServer({ allowHalfOpen: true }, echoLength).listen(0, '127.0.0.1');
    const [webPort, echoPort] = [await portOf(web), await portOf(echo)];
    const child = startKubectl(['port-forward', pod, `:${webPort}`, `:${echoPort}`], {
      kubeconfig: world().plane.kubeconfig,
      transport: client,
    });
    try {
      const ports = await forwardedPorts(child.stdout, 2);
      const answers = await Promise.all(
        Array.from({ length: 50 }, async () => {
          const response = await fetch(`http://127.0.0.1:${ports.get(webPort)}/`, {
            headers: { connection: 'close' },
          });
          return (await response.text()).length;
        }),
      );
      expect(answers).toEqual(Array(50).fill(100_000));
      const socket = connect({ host: '127.0.0.1', port: ports.get(echoPort) ?? 0, allowHalfOpen: true });
      socket.end(randomlyFilled(20_000_000, 3));
      expect(await text(socket)).toBe('20000000 bytes');
    } finally {
      child.kill('SIGINT');
      web.close();
      echo.close();
    }
    expect(await node().sessions.next()).toMatchObject([{ session: 'port-forward', ...forward }]);
  });

  it('goes on forwarding after a port where nobody listens', async () => {
    const web = createServer((_request, response) => response.end('here')).listen(0, '127.0.0.1');
    const closed = createServer().listen(0, '127.0.0.1');
    const [webPort, closedPort] = [await portOf(web), await portOf(closed)];
    closed.close();
    const child = startKubectl(['port-forward', pod, `:${webPort}`, `:${closedPort}`], {
      kubeconfig: world().plane.kubeconfig,
      transport: client,
    });
    try {
      const ports = await forwardedPorts(child.stdout, 2);
      await expect(fetch(`http://127.0.0.1:${ports.get(closedPort)}/`)).rejects.toThrow('fetch failed');
      expect(await (await fetch(`http://127.0.0.1:${ports.get(webPort)}/`)).text()).toBe('here');
    } finally {
      child.kill('SIGINT');
      web.close();
    }
    await node().sessions.next();
  });
};

const echoLength = (socket: Socket): void => {
  let length = 0;
  socket.on('data', (chunk) => {
    length += chunk.length;
  });
  socket.on('end', () => socket.end(`${length} bytes`));
};

const portOf = async (server: ReturnType<typeof createTcpServer>): Promise<number> => {
  if (!server.listening) await once(server, 'listening');
  return (server.address() as { readonly port: number }).port;
};
