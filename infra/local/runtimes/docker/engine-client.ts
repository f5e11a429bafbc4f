import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import * as z from 'zod/mini';
import { describeAddress, type EngineAddress } from './engine-address.ts';
import { EngineError, EngineGone, messageOf } from './engine-error.ts';

export interface EngineRequest {
  readonly query?: Readonly<Record<string, string>> | URLSearchParams;
  /** Sent as JSON, or as it is where it is bytes (a tar archive). */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

type Method = 'GET' | 'POST' | 'DELETE';

/** No call but a stream may take longer: an engine that hangs is an engine that is gone. */
const callTimeoutMs = 120_000;

/** The newest version of the engine's API that this code was written against; an older engine is spoken to in its own. */
const knownVersion = '1.44';

const failure = z.object({ message: z.string() });
const versions = z.object({ Version: z.string(), ApiVersion: z.string(), MinAPIVersion: z.optional(z.string()) });

/** The few calls of the Docker Engine API that we need, over its socket. One connection a call: none is left behind. */
export class EngineClient {
  /** The engine's own version, such as `20.10.24`. */
  readonly engineVersion: string;
  readonly #address: EngineAddress;
  readonly #prefix: string;

  private constructor(address: EngineAddress, engineVersion: string, prefix: string) {
    this.#address = address;
    this.engineVersion = engineVersion;
    this.#prefix = prefix;
  }

  /** @throws {EngineGone} where nothing answers there within `timeoutMs`. */
  static async connect(address: EngineAddress, timeoutMs = 5_000): Promise<EngineClient> {
    const bare = new EngineClient(address, '', '');
    const answer = await bare.call('GET', '/version', { signal: AbortSignal.timeout(timeoutMs) });
    const { Version, ApiVersion, MinAPIVersion = ApiVersion } = z.parse(versions, answer);
    const version = newer(MinAPIVersion, newer(ApiVersion, knownVersion) === ApiVersion ? knownVersion : ApiVersion);
    return new EngineClient(address, Version, `/v${version}`);
  }

  /**
   * The JSON of one answer; undefined where it has no body.
   * @throws {EngineError | EngineGone}
   */
  async call(method: Method, path: string, options: EngineRequest = {}): Promise<unknown> {
    const limit = AbortSignal.timeout(callTimeoutMs);
    const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
    const text = await textOf(await this.stream(method, path, { ...options, signal }), this.#gone);
    return text.trim() === '' ? undefined : (JSON.parse(text) as unknown);
  }

  /**
   * The answer as it comes, from the moment its head is here. Its stream ends with an error where the engine breaks off.
   * @throws {EngineError | EngineGone}
   */
  async stream(
    method: Method,
    path: string,
    { query, body, headers, signal }: EngineRequest = {},
  ): Promise<IncomingMessage> {
    const search = query ? `?${new URLSearchParams(query).toString()}` : '';
    const payload = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest({
        ...this.#address,
        method,
        path: `${this.#prefix}${path}${search}`,
        headers: {
          host: 'docker',
          'content-type': body instanceof Uint8Array ? 'application/x-tar' : 'application/json',
          ...headers,
          'content-length': payload === undefined ? 0 : Buffer.byteLength(payload),
        },
        agent: false,
        ...(signal && { signal }),
      });
      request.once('error', (error) => reject(this.#gone(error)));
      request.once('response', (incoming) => {
        // Later errors are the response's; without a listener they would end our process.
        request.on('error', () => undefined);
        resolve(incoming);
      });
      request.end(payload);
    });
    const { statusCode = 0 } = response;
    if (statusCode < 300) return response;
    const text = await textOf(response, this.#gone);
    throw new EngineError(statusCode, refusalOf(text) ?? `the engine answered ${statusCode}`);
  }

  /**
   * The connection itself, which the engine gives over to a command's terminal.
   * @throws {EngineError | EngineGone}
   */
  async upgrade(path: string, body: unknown): Promise<Socket> {
    const payload = JSON.stringify(body);
    return new Promise<Socket>((resolve, reject) => {
      const request = httpRequest({
        ...this.#address,
        method: 'POST',
        path: `${this.#prefix}${path}`,
        headers: {
          host: 'docker',
          connection: 'Upgrade',
          upgrade: 'tcp',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(payload),
        },
        agent: false,
        timeout: callTimeoutMs,
      });
      request.once('error', (error) => reject(this.#gone(error)));
      request.once('timeout', () => request.destroy(new Error('no answer in time')));
      request.once('response', (response) => {
        textOf(response, this.#gone).then(
          (text) => reject(new EngineError(response.statusCode ?? 0, refusalOf(text) ?? 'the engine did not upgrade')),
          reject,
        );
      });
      request.once('upgrade', (_response, socket: Socket, head) => {
        socket.setTimeout(0);
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      request.end(payload);
    });
  }

  readonly #gone = (error: unknown): EngineGone =>
    new EngineGone(`the container engine at ${describeAddress(this.#address)} does not answer: ${messageOf(error)}`, {
      cause: error,
    });
}

const textOf = async (response: IncomingMessage, gone: (error: unknown) => EngineGone): Promise<string> => {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    throw gone(error);
  }
};

const refusalOf = (text: string): string | undefined => {
  try {
    return z.parse(failure, JSON.parse(text)).message.trim();
  } catch {
    return undefined;
  }
};

const newer = (a: string, b: string): string => {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA > majorB || (majorA === majorB && minorA >= minorB) ? a : b;
};
