import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { Clock } from '../../core/clock.ts';
import { checkCredentials, type KubernetesCredentials } from './credentials.ts';
import { codeOf, toNetworkError } from './network-error.ts';
import type { TokenSource } from './token-source.ts';

/** How long an idle connection is kept: longer than the ten seconds between beats, shorter than load balancers cut. */
const IDLE_SOCKET_MS = 60_000;
const MAX_SOCKETS = 16;

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with `/`; the server's own path prefix is put before it. */
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Requests to one server over connections that are kept. */
export class HttpTransport {
  readonly origin: string;
  readonly #target: RequestOptions;
  readonly #prefix: string;
  readonly #agent: http.Agent;
  readonly #open: typeof http.request;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  readonly #tokens: TokenSource | undefined;
  #lastUsedAt = 0;

  /** @throws {PermanentError} where the credentials do not fit together. */
  constructor(
    credentials: KubernetesCredentials,
    { clock, userAgent, tokens }: { clock: Clock; userAgent: string; tokens?: TokenSource | undefined },
  ) {
    checkCredentials(credentials, 'Kubernetes credentials');
    const url = new URL(credentials.server);
    this.origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#clock = clock;
    this.#tokens = tokens;
    this.#headers = {
      'User-Agent': userAgent,
      ...(credentials.token && { Authorization: `Bearer ${credentials.token}` }),
    };
    const host = url.hostname.replace(/^\[|\]$/g, '');
    this.#target = { host, ...(url.port && { port: Number(url.port) }) };
    const keepAlive = {
      keepAlive: true,
      timeout: IDLE_SOCKET_MS,
      maxSockets: MAX_SOCKETS,
      scheduling: 'lifo' as const,
    };
    if (url.protocol === 'http:') {
      this.#open = http.request;
      this.#agent = new http.Agent(keepAlive);
      return;
    }
    this.#open = https.request;
    this.#agent = new https.Agent({
      ...keepAlive,
      // Upgrades and streams are HTTP/1.1; nothing else is offered.
      ALPNProtocols: ['http/1.1'],
      ...(credentials.certificateAuthority && { ca: credentials.certificateAuthority }),
      ...(credentials.clientCertificate && { cert: credentials.clientCertificate, key: credentials.clientKey }),
      ...(credentials.tlsServerName && { servername: credentials.tlsServerName }),
    });
  }

  /**
   * Resolves with the answer's head; its body is still to be read, and ends with an error when `signal` aborts.
   *
   * A connection that was kept may have died unseen (a frozen function, a server that closes idle connections). Such a
   * request is sent once more, on a new connection, if it was broken off before any byte of an answer. That holds for
   * writes too: every write of ours names its object or states what it believes, so a second one is refused, not doubled.
   */
  async send(request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const call = `${request.method} ${request.path}`;
    const now = this.#clock.now();
    // Timers stand still while a function is frozen: the agent's own idle limit may be late.
    if (now - this.#lastUsedAt >= IDLE_SOCKET_MS) this.#dropIdle();
    this.#lastUsedAt = now;
    const authorized = await this.#authorize(request);
    try {
      return await this.#exchange(authorized, signal);
    } catch (error) {
      if (!(error instanceof BrokenExchange)) throw error;
      if (!error.stale || signal.aborted) throw toNetworkError(error.cause, call, this.origin, signal);
    }
    this.#dropIdle();
    try {
      return await this.#exchange(authorized, signal);
    } catch (error) {
      throw toNetworkError(error instanceof BrokenExchange ? error.cause : error, call, this.origin, signal);
    }
  }

  /** Ends every connection. */
  close(): void {
    this.#agent.destroy();
  }

  async #authorize(request: HttpRequest): Promise<HttpRequest> {
    if (!this.#tokens) return request;
    return { ...request, headers: { ...request.headers, Authorization: `Bearer ${await this.#tokens()}` } };
  }

  #exchange({ method, path, query, headers, body }: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const search = query?.toString();
      const outgoing = this.#open({
        ...this.#target,
        agent: this.#agent,
        method,
        path: `${this.#prefix}${path}${search ? `?${search}` : ''}`,
        headers: {
          ...this.#headers,
          ...headers,
          ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
        },
        signal,
      });
      let bytesBefore = 0;
      outgoing.once('socket', (socket) => {
        bytesBefore = socket.bytesRead;
      });
      outgoing.once('response', resolve);
      outgoing.on('error', (error) => {
        const answered = (outgoing.socket?.bytesRead ?? 0) > bytesBefore;
        reject(new BrokenExchange(error, outgoing.reusedSocket && !answered));
      });
      outgoing.end(body);
    });
  }

  #dropIdle(): void {
    for (const sockets of Object.values(this.#agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}

/** An exchange that ended before the head of an answer. */
class BrokenExchange extends Error {
  override readonly name = 'BrokenExchange';
  /** The connection had been used before and was cut: most likely it was dead already. */
  readonly stale: boolean;

  constructor(cause: Error, silent: boolean) {
    super('no answer', { cause });
    const code = codeOf(cause);
    this.stale = silent && (code === 'ECONNRESET' || code === 'EPIPE');
  }
}
