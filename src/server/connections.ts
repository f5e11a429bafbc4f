import type { ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/**
 * The open connections of a server and which of them are answering. Node's own closeIdleConnections leaves those alone
 * that have not sent a request yet.
 */
export class Connections {
  readonly #all = new Set<Socket>();
  readonly #idle = new Set<Socket>();
  #closing = false;

  constructor(server: Server) {
    // 'connection' sees them before their handshake, 'secureConnection' the TLS sockets that carry requests.
    server.on('connection', (socket: Socket) => track(this.#all, socket));
    server.on('secureConnection', (socket: Socket) => {
      track(this.#idle, socket);
      if (this.#closing) socket.destroy();
    });
  }

  /** Marks the connection of an answer as busy until that is done. */
  busy(response: ServerResponse): void {
    const { socket } = response;
    if (socket === null) return;
    this.#idle.delete(socket);
    response.once('close', () => {
      if (this.#closing) socket.end();
      else if (!socket.destroyed) this.#idle.add(socket);
    });
  }

  /** Of a connection that carries a session from now on: it is never idle again. */
  upgraded(socket: Socket): void {
    this.#idle.delete(socket);
  }

  /** Closes what is idle now, and the rest as it falls idle. */
  closeIdle(): void {
    this.#closing = true;
    for (const socket of this.#idle) socket.end();
  }

  /** Cuts everything. */
  destroyAll(): void {
    for (const socket of this.#all) socket.destroy();
  }
}

const track = (sockets: Set<Socket>, socket: Socket): void => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
};
