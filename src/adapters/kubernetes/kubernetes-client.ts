import type { IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import type { Clock } from '../../core/clock.ts';
import { withDeadline } from '../../core/deadline.ts';
import { ConflictError, type SvkError } from '../../core/errors.ts';
import { parseJson, parseList, parseObject } from './answer.ts';
import type { KubernetesCredentials } from './credentials.ts';
import { type HttpRequest, HttpTransport } from './http-transport.ts';
import { toNetworkError } from './network-error.ts';
import { toError } from './status-error.ts';
import type { TokenSource } from './token-source.ts';

const REQUEST_DEADLINE_MS = 10_000;
const PAGE_SIZE = 500;
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** The four ways to say what shall change. Custom resources refuse `strategic`; `apply` needs `fieldManager` in `query`. */
export const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;
export type PatchType = keyof typeof PATCH_TYPES;

export interface ClientOptions {
  readonly clock: Clock;
  /** For one request with its whole answer; 10 s where it is left out. */
  readonly deadlineMs?: number;
  readonly userAgent?: string;
  /** Asked for the token of every request, where tokens are renewed. */
  readonly tokens?: TokenSource;
  /** Told of every 401: the credentials were replaced, or revoked. */
  readonly onUnauthorized?: () => void;
  /** Waits until a request may go out, before its deadline begins. Without it nothing is held back. */
  readonly limiter?: RequestLimiter;
  /** Called in the place of every request, whose sending it is given: to measure it. */
  readonly around?: AroundRequest;
}

/** Answers what `send` does, the head of an answer. */
export type AroundRequest = (
  request: Pick<HttpRequest, 'method' | 'path'>,
  send: () => Promise<IncomingMessage>,
) => Promise<IncomingMessage>;

/** Holds requests back so that no more than agreed go out. */
export type RequestLimiter = (path: string, signal: AbortSignal) => Promise<void>;

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly query?: Readonly<Record<string, string>>;
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

export interface ResourceList<T> {
  readonly items: readonly T[];
  /** Where a watch may begin. */
  readonly resourceVersion: string;
}

/**
 * A small JSON client of one API server: paths in, objects out, connections kept. Every method rejects with an error of
 * core/errors only. Paths are those of the API, sub-resources included: `/api/v1/nodes/fargate/status`.
 */
export class KubernetesClient {
  readonly #transport: HttpTransport;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #limiter: RequestLimiter | undefined;
  readonly #around: AroundRequest | undefined;
  readonly #onUnauthorized: (() => void) | undefined;

  /** @throws {PermanentError} where the credentials do not fit together. */
  constructor(credentials: KubernetesCredentials, options: ClientOptions) {
    const { clock, deadlineMs = REQUEST_DEADLINE_MS, userAgent = 'serverless-virtual-kubelet', tokens } = options;
    this.#transport = new HttpTransport(credentials, { clock, userAgent, tokens });
    this.#clock = clock;
    this.#limiter = options.limiter;
    this.#around = options.around;
    this.#onUnauthorized = options.onUnauthorized;
    this.#deadlineMs = deadlineMs;
  }

  async get<T>(path: string, options: CallOptions): Promise<T> {
    return parseObject<T>(await this.#call({ method: 'GET', path }, options), `GET ${path}`);
  }

  /** All pages. Starts over, once, where the server has forgotten the version the pages are of. */
  async list<T>(path: string, options: CallOptions & { readonly metadataOnly?: boolean }): Promise<ResourceList<T>> {
    try {
      return await this.#pages<T>(path, options);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      return this.#pages<T>(path, options);
    }
  }

  async create<T>(path: string, body: unknown, options: CallOptions): Promise<T> {
    return parseObject<T>(await this.#call({ method: 'POST', path, body }, options), `POST ${path}`);
  }

  /** PUT: replaces the object, if its resourceVersion is still the one in `body`. */
  async update<T>(path: string, body: unknown, options: CallOptions): Promise<T> {
    return parseObject<T>(await this.#call({ method: 'PUT', path, body }, options), `PUT ${path}`);
  }

  async patch<T>(path: string, type: PatchType, patch: unknown, options: CallOptions): Promise<T> {
    const request = { method: 'PATCH', path, body: patch, contentType: PATCH_TYPES[type] } as const;
    return parseObject<T>(await this.#call(request, options), `PATCH ${path}`);
  }

  async delete(path: string, { signal, query, ...options }: DeleteOptions): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
    await this.#call({ method: 'DELETE', path, body }, { signal, ...(query && { query }) });
  }

  /**
   * The raw body of an answer: logs, watches. The deadline covers its head only; the body ends with an error when
   * `signal` aborts. The caller must read or destroy it.
   */
  async stream(path: string, { signal, query }: CallOptions): Promise<IncomingMessage> {
    const request = { method: 'GET', path, headers: { Accept: '*/*' }, ...queryOf(query) } as const;
    await this.#admit(path, signal);
    const response = await this.#within(`GET ${path}`, signal, (limit) =>
      this.#send(request, AbortSignal.any([signal, limit])),
    );
    if ((response.statusCode ?? 0) < 300) return response;
    throw await this.#refusal(response, `GET ${path}`, signal);
  }

  /** Ends every connection. */
  close(): void {
    this.#transport.close();
  }

  async #pages<T>(
    path: string,
    { signal, query, metadataOnly }: CallOptions & { readonly metadataOnly?: boolean },
  ): Promise<ResourceList<T>> {
    const items: T[] = [];
    const accept = metadataOnly ? METADATA_LIST : 'application/json';
    let next: string | undefined;
    for (;;) {
      const page = { ...query, limit: String(PAGE_SIZE), ...(next && { continue: next }) };
      const answer = await this.#call({ method: 'GET', path, accept }, { signal, query: page });
      const list = parseList<T>(answer, `GET ${path}`);
      items.push(...list.items);
      next = list.metadata.continue;
      if (!next) return { items, resourceVersion: list.metadata.resourceVersion };
    }
  }

  async #call(call: JsonCall, { signal, query }: CallOptions): Promise<unknown> {
    await this.#admit(call.path, signal);
    const name = `${call.method} ${call.path}`;
    const request: HttpRequest = {
      method: call.method,
      path: call.path,
      ...queryOf(query),
      headers: {
        Accept: call.accept ?? 'application/json',
        ...(call.body !== undefined && { 'Content-Type': call.contentType ?? 'application/json' }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    };
    return this.#within(name, signal, async (limit) => {
      const response = await this.#send(request, limit);
      if ((response.statusCode ?? 0) >= 300) throw await this.#refusal(response, name, limit);
      return parseJson(await this.#read(response, name, limit), name);
    });
  }

  #send(request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const send = (): Promise<IncomingMessage> => this.#transport.send(request, signal);
    return this.#around ? this.#around(request, send) : send();
  }

  async #admit(path: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#limiter?.(path, signal);
    } catch (error) {
      throw toNetworkError(error, path, this.#transport.origin, signal);
    }
  }

  async #within<T>(what: string, signal: AbortSignal, act: (limit: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await withDeadline(this.#clock, { ms: this.#deadlineMs, what, signal }, act);
    } catch (error) {
      throw toNetworkError(error, what, this.#transport.origin, signal);
    }
  }

  async #refusal(response: IncomingMessage, call: string, signal: AbortSignal): Promise<SvkError> {
    const code = response.statusCode ?? 0;
    if (code === 401) this.#onUnauthorized?.();
    const text = await this.#read(response, call, signal);
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      body = undefined;
    }
    return toError({ code, body, retryAfter: response.headers['retry-after'], call });
  }

  async #read(response: IncomingMessage, call: string, signal: AbortSignal): Promise<string> {
    try {
      return await readText(response);
    } catch (error) {
      throw toNetworkError(error, call, this.#transport.origin, signal);
    }
  }
}

interface JsonCall {
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
}

const queryOf = (query: CallOptions['query']): { query?: URLSearchParams } =>
  query ? { query: new URLSearchParams(query) } : {};
