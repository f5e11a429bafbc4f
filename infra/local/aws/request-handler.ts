import { answerRequest } from './front-door.ts';
import { NoAnswer } from './service-error.ts';
import type { AwsServices } from './services.ts';

/** The part of the SDK's request that matters here. */
interface SdkRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** A `requestHandler` for SDK clients. */
export interface InProcessHandler {
  handle(
    request: SdkRequest,
    options?: { readonly abortSignal?: unknown },
  ): Promise<{ readonly response: SdkResponse }>;
  updateHttpClientConfig(): void;
  httpHandlerConfigs(): Record<string, never>;
}

/**
 * Lets an unmodified SDK client talk to the services without a socket: `new ECSClient({ requestHandler: … })`. A request
 * that gets no answer waits for its abort signal, in whatever time the caller keeps.
 */
export const inProcessHandler = (services: AwsServices): InProcessHandler => ({
  handle: async ({ headers, body }, { abortSignal } = {}) => {
    try {
      const answer = await answerRequest(services, headers['x-amz-target'] ?? '', textOf(body));
      return {
        response: { statusCode: answer.status, headers: { ...answer.headers }, body: Buffer.from(answer.body) },
      };
    } catch (error) {
      if (!(error instanceof NoAnswer) || error.manner === 'reset') throw brokenConnection(error);
      return neverUntil(abortSignal instanceof AbortSignal ? abortSignal : undefined);
    }
  },
  updateHttpClientConfig: () => {},
  httpHandlerConfigs: () => ({}),
});

const textOf = (body: unknown): string => {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : '';
};

const brokenConnection = (error: unknown): unknown =>
  error instanceof NoAnswer ? Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }) : error;

const neverUntil = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }));
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
