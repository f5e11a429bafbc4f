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
  readonly #secured = new Set<Socket>();
  readonly #retired = new WeakSet<Socket>();
  readonly #answers = new WeakMap<Socket, number>();
  #closing = false;

  constructor(server: Server) {
    // 'connection' sees them before their handshake, 'secureConnection' the TLS sockets that carry requests.
    server.on('connection', (socket: Socket) => track(this.#all, socket));
    server.on('secureConnection', (socket: Socket) => {
      track(this.#idle, socket);
      track(this.#secured, socket);
      if (this.#closing) socket.destroy();
    });
  }

  /** Marks a connection as busy until this answer is done; with pipelining several are under way on one. */
  busy(socket: Socket, response: ServerResponse): void {
    this.#answers.set(socket, (this.#answers.get(socket) ?? 0) + 1);
    this.#idle.delete(socket);
    response.once('close', () => {
      const left = (this.#answers.get(socket) ?? 1) - 1;
      this.#answers.set(socket, left);
      if (left > 0) return;
      if (this.#closing || this.#retired.has(socket)) socket.end();
      else if (!socket.destroyed) this.#idle.add(socket);
    });
  }

  /** How many answers are under way on it. */
  answersOn(socket: Socket): number {
    return this.#answers.get(socket) ?? 0;
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

  /** Closes what is idle now, and the rest with the answer under way. Sessions go on, and what connects later stays. */
  retire(): void {
    for (const socket of this.#secured) this.#retired.add(socket);
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
