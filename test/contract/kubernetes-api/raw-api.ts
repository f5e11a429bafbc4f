import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import type { KubernetesCredentials } from '../../../src/adapters/kubernetes/credentials.ts';

export interface RawRequest {
  readonly body?: unknown;
  /** @default application/json */
  readonly contentType?: string;
  readonly accept?: string;
  /** Instead of the administrator's credentials; an empty text sends none. */
  readonly token?: string;
}

export interface RawAnswer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text as JSON; undefined where it is none. */
  readonly body: unknown;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata?: { readonly name?: string; readonly resourceVersion?: string } } & Readonly<
    Record<string, unknown>
  >;
}

export interface RawWatch {
  /** The next event; undefined where the server ended the stream. */
  next(): Promise<WatchEvent | undefined>;
  close(): void;
}

/** Plain HTTP to an API server, so that tests see what is on the wire. */
export class RawApi {
  readonly #server: URL;
  readonly #agent: Agent;
  readonly #token: string | undefined;
  readonly #withoutIdentity: Agent;

  constructor({ server, certificateAuthority, clientCertificate, clientKey, token }: KubernetesCredentials) {
    this.#server = new URL(server);
    const ca = certificateAuthority === undefined ? {} : { ca: certificateAuthority };
    const identity = clientCertificate && clientKey ? { cert: clientCertificate, key: clientKey } : {};
    this.#agent = new Agent({ keepAlive: true, ...ca, ...identity });
    this.#withoutIdentity = new Agent({ keepAlive: true, ...ca });
    this.#token = token;
  }

  async send(method: string, path: string, options: RawRequest = {}): Promise<RawAnswer> {
    const response = await this.#open(method, path, options);
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    return { code: response.statusCode ?? 0, headers: response.headers, text, body: parsed(text) };
  }

  get(path: string, options: RawRequest = {}): Promise<RawAnswer> {
    return this.send('GET', path, options);
  }

  post(path: string, body: unknown, options: RawRequest = {}): Promise<RawAnswer> {
    return this.send('POST', path, { body, ...options });
  }

  put(path: string, body: unknown): Promise<RawAnswer> {
    return this.send('PUT', path, { body });
  }

  patch(path: string, type: PatchType, body: unknown): Promise<RawAnswer> {
    return this.send('PATCH', path, { body, contentType: PATCH_TYPES[type] });
  }

  delete(path: string, body?: unknown): Promise<RawAnswer> {
    return this.send('DELETE', path, body === undefined ? {} : { body });
  }

  /** Opens a watch; resolves once the server has answered. */
  async watch(path: string, options: RawRequest = {}): Promise<RawWatch> {
    const response = await this.#open('GET', path, options);
    const lines = createInterface({ input: response })[Symbol.asyncIterator]();
    return {
      next: async () => {
        const line = await lines.next();
        return line.done ? undefined : (JSON.parse(line.value) as WatchEvent);
      },
      close: () => void response.destroy(),
    };
  }

  /** The body as it comes, for answers that stream. */
  open(path: string): Promise<IncomingMessage> {
    return this.#open('GET', path, {});
  }

  close(): void {
    this.#agent.destroy();
    this.#withoutIdentity.destroy();
  }

  #open(method: string, path: string, options: RawRequest): Promise<IncomingMessage> {
    const { body, contentType = 'application/json', accept = 'application/json', token = this.#token } = options;
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, this.#server), {
        method,
        agent: options.token === undefined ? this.#agent : this.#withoutIdentity,
        headers: {
          accept,
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(text === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }),
        },
      });
      sent.on('response', resolve);
      sent.on('error', reject);
      sent.end(text);
    });
  }
}

export type PatchType = keyof typeof PATCH_TYPES;

const PATCH_TYPES = {
  apply: 'application/apply-patch+yaml',
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
