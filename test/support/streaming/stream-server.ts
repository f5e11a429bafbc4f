import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { UpgradeRequest } from '../../../src/streaming/session.ts';

export interface StreamServer {
  readonly port: number;
  /** Sockets that were upgraded. */
  readonly sockets: ReadonlySet<Duplex>;
  stop(): Promise<void>;
}

/** An HTTP server on a free port of 127.0.0.1 that gives every upgrade to `onUpgrade`. */
export const startStreamServer = async (onUpgrade: (upgrade: UpgradeRequest) => void): Promise<StreamServer> => {
  const sockets = new Set<Duplex>();
  const server = http.createServer((_, response) => response.writeHead(404).end());
  server.on('upgrade', (message, socket, head) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    onUpgrade({ message, socket, head });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
