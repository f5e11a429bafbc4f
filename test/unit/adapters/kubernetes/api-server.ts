import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createCertificateAuthority } from '../../../../infra/local/tls/certificate-authority.ts';
import type { KubernetesCredentials } from '../../../../src/adapters/kubernetes/credentials.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (request: Received, response: ServerResponse) => void;

/** A server on the loopback interface that records what arrives and answers as told. */
export class ApiServer {
  readonly received: Received[] = [];
  readonly credentials: KubernetesCredentials;
  connections = 0;
  /** Answers every request; 200 with an empty object where a test sets nothing. */
  answer: Answer = (_, response) => json(response, 200, {});
  readonly #server: http.Server | https.Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: http.Server | https.Server, credentials: Omit<KubernetesCredentials, 'server'>) {
    this.#server = server;
    const secure = server instanceof https.Server;
    server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response));
    const { port } = server.address() as AddressInfo;
    this.credentials = { server: `${secure ? 'https' : 'http'}://127.0.0.1:${port}`, ...credentials };
  }

  static async plain(): Promise<ApiServer> {
    const server = http.createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ApiServer(server, {});
  }

  /** TLS, with a client certificate asked for. */
  static async secure(): Promise<ApiServer> {
    const authority = await createCertificateAuthority({ commonName: 'test-ca', now: Date.now() });
    const own = await authority.issueServer({ commonName: 'kube-apiserver', names: ['127.0.0.1'] });
    const client = await authority.issueClient({ commonName: 'svk' });
    const server = https.createServer({
      cert: own.certificate,
      key: own.key,
      ca: authority.certificate,
      requestCert: true,
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ApiServer(server, {
      certificateAuthority: authority.certificate,
      clientCertificate: client.certificate,
      clientKey: client.key,
    });
  }

  /** Cuts every connection, in use or idle, without a word. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const received = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    this.received.push(received);
    this.answer(received, response);
  }
}

export const json = (
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: http.OutgoingHttpHeaders = {},
): void => {
  response.writeHead(code, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

/** What the API server answers where it refuses. */
export const status = (code: number, reason: string, message: string, details: object = {}): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message,
  details,
});
