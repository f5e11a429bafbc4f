import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { WebSocket } from 'ws';
import type { KubeletServer } from '../../../src/server/kubelet-server.ts';

/** One end of a session of `exec`. */
export interface SessionClient {
  readonly socket: WebSocket;
  /** What came on each channel. */
  readonly channel: (number: number) => string;
  readonly closed: Promise<unknown>;
}

/** Clients that trust the servers of one certificate authority. */
export class SessionClients {
  readonly #authority: string;
  readonly #sockets: WebSocket[] = [];

  /** @param authority its certificate, as PEM */
  constructor(authority: string) {
    this.#authority = authority;
  }

  async open({ port }: KubeletServer): Promise<SessionClient> {
    const socket = new WebSocket(`wss://127.0.0.1:${port}/exec/default/web/app`, 'v5.channel.k8s.io', {
      ca: this.#authority,
    });
    this.#sockets.push(socket);
    const channels = new Map<number, string>();
    socket.on('message', (data: Buffer) => {
      const channel = data[0] ?? 0;
      channels.set(channel, `${channels.get(channel) ?? ''}${data.subarray(1).toString()}`);
    });
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    await once(socket, 'open');
    return { socket, channel: (number) => channels.get(number) ?? '', closed };
  }

  /** The answer to an upgrade that was refused. */
  async refused({ port }: KubeletServer): Promise<{ status?: number | undefined; body: string }> {
    const call = httpsRequest({
      host: '127.0.0.1',
      port,
      ca: this.#authority,
      method: 'POST',
      headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'content-length': '0' },
    });
    call.end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode, body: Buffer.concat(chunks).toString() };
  }

  /** Breaks off all that are open. */
  end(): void {
    for (const socket of this.#sockets.splice(0)) socket.terminate();
  }
}
