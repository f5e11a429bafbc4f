import { readFile } from 'node:fs/promises';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { codeOf, toNetworkError } from '../../adapters/kubernetes/network-error.ts';
import type { Clock } from '../../core/clock.ts';
import { withDeadline } from '../../core/deadline.ts';
import { PermanentError, TransientError } from '../../core/errors.ts';
import { guardedLookup } from './addresses.ts';
import { errorOfAnswer } from './http-error.ts';
import type { WebConfig } from './web-config.ts';

export interface WebCall {
  readonly method: 'GET' | 'POST';
  /** Of the protocol, as `describe`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** JSON text. */
  readonly body?: string;
  /** Sent once at most, over a connection of its own: one that was kept may be dead, unseen. */
  readonly once?: true;
}

export interface HttpClientOptions {
  readonly config: WebConfig;
  /** PEM certificates, where the configuration names a file of them. */
  readonly certificateAuthority?: string;
  readonly clock: Clock;
  readonly lookup?: LookupFunction;
}

const IDLE_SOCKET_MS = 30_000;
const MAX_SOCKETS = 64;
const LARGEST_ANSWER = 16 * 1024 * 1024;
const LARGEST_REFUSAL = 64 * 1024;

/** Calls the service: each with a deadline, no redirect followed, every error one of core/errors. */
export class HttpClient {
  readonly #config: WebConfig;
  readonly #clock: Clock;
  readonly #target: RequestOptions;
  readonly #singleUse: http.Agent;
  readonly #open: typeof http.request;

  constructor({ config, certificateAuthority, clock, lookup = guardedLookup() }: HttpClientOptions) {
    this.#config = config;
    this.#clock = clock;
    const { protocol } = new URL(config.url);
    const keep = { keepAlive: true, timeout: IDLE_SOCKET_MS, maxSockets: MAX_SOCKETS, scheduling: 'lifo' } as const;
    this.#open = protocol === 'https:' ? https.request : http.request;
    const agentOf = (options: http.AgentOptions): http.Agent =>
      protocol === 'https:'
        ? new https.Agent({ ...options, ...(certificateAuthority !== undefined && { ca: certificateAuthority }) })
        : new http.Agent(options);
    this.#target = { lookup, agent: agentOf(keep) };
    this.#singleUse = agentOf({ keepAlive: false, maxSockets: MAX_SOCKETS });
  }

  /** The JSON of an answer; undefined where it has no body. */
  async json(call: WebCall, signal: AbortSignal): Promise<unknown> {
    const name = nameOf(call);
    const text = await this.#within(name, signal, async (limit) =>
      readText(await this.#send(call, name, limit), LARGEST_ANSWER, name, limit),
    );
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      // Not quoted: it may be anything.
      throw new TransientError(`${name}: the answer is not JSON; does url name a service of this protocol?`);
    }
  }

  /** The bytes of an answer as they come, for as long as they come; ends early, without an error, when `signal` aborts. */
  async *stream(call: WebCall, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const name = nameOf(call);
    const left = new AbortController();
    const gone = AbortSignal.any([signal, left.signal]);
    try {
      const answer = await this.#within(name, signal, (limit) =>
        this.#send(call, name, gone, AbortSignal.any([gone, limit])),
      );
      for await (const chunk of answer) if (chunk instanceof Uint8Array) yield chunk;
    } catch (error) {
      if (signal.aborted) return;
      throw toNetworkError(error, name, this.#config.url, signal);
    } finally {
      left.abort();
    }
  }

  async #within<T>(what: string, signal: AbortSignal, act: (limit: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await withDeadline(this.#clock, { ms: this.#config.timeoutMs, what, signal }, act);
    } catch (error) {
      throw toNetworkError(error, what, this.#config.url, signal);
    }
  }

  /** Resolves with a 2xx answer, its body still to be read. `life` ends the whole exchange, `head` the wait for its head. */
  async #send(call: WebCall, name: string, life: AbortSignal, head = life): Promise<IncomingMessage> {
    const authorization = await this.#authorization();
    head.throwIfAborted();
    const exchange = (): Promise<IncomingMessage> => this.#exchange(call, authorization, life, head);
    // A kept connection may have been closed at the other end, unseen. Every call may be repeated.
    const answer = await exchange().catch((error: unknown) => {
      if (error instanceof StaleConnection && !call.once) return exchange();
      throw error;
    });
    const { statusCode: status = 0, headers } = answer;
    if (status >= 200 && status < 300) return answer;
    const body = await readText(answer, LARGEST_REFUSAL, name, head);
    throw errorOfAnswer(name, { status, retryAfter: headers['retry-after'], body });
  }

  #exchange(
    call: WebCall,
    authorization: string | undefined,
    life: AbortSignal,
    head: AbortSignal,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = this.#open(`${this.#config.url}/${call.path}${searchOf(call)}`, {
        ...this.#target,
        ...(call.once && { agent: this.#singleUse }),
        method: call.method,
        signal: life,
        headers: {
          accept: 'application/json, */*',
          'user-agent': 'svk',
          ...(authorization !== undefined && { authorization }),
          ...(call.body !== undefined && {
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(call.body)),
          }),
        },
      });
      const giveUp = (): void => void request.destroy(new Error('no answer in time', { cause: head.reason }));
      head.addEventListener('abort', giveUp, { once: true });
      request.once('response', (response) => {
        head.removeEventListener('abort', giveUp);
        resolve(response);
      });
      request.on('error', (error) => {
        head.removeEventListener('abort', giveUp);
        const code = codeOf(error);
        const isStale = request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE') && !head.aborted;
        reject(isStale ? new StaleConnection('the kept connection was closed', { cause: error }) : error);
      });
      request.end(call.body);
    });
  }

  async #authorization(): Promise<string | undefined> {
    const { authorizationFile } = this.#config;
    if (authorizationFile === undefined) return undefined;
    const value = await readFile(authorizationFile, 'utf8').then(
      (text) => text.trim(),
      (cause: unknown) => {
        throw new PermanentError(`authorizationFile ${authorizationFile} cannot be read`, { cause });
      },
    );
    if (!/^[\x21-\x7e][\x20-\x7e]*$/.test(value))
      throw new PermanentError(`authorizationFile ${authorizationFile} must hold one line, as: Bearer TOKEN`);
    return value;
  }
}

class StaleConnection extends Error {}

const nameOf = ({ method, path }: WebCall): string => `${method} ${path}`;

const searchOf = ({ query = {} }: WebCall): string => {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as [string, string]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
};

const readText = async (
  answer: IncomingMessage,
  largest: number,
  name: string,
  signal: AbortSignal,
): Promise<string> => {
  const giveUp = (): void => void answer.destroy();
  signal.addEventListener('abort', giveUp, { once: true });
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of answer) {
      if (!(chunk instanceof Uint8Array)) continue;
      size += chunk.length;
      if (size > largest)
        throw new TransientError(`${name}: the answer is larger than ${largest} bytes: answer in pages`);
      chunks.push(chunk);
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
  return Buffer.concat(chunks).toString('utf8');
};
