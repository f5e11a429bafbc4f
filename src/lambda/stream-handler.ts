import middify from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { Context } from 'aws-lambda';
import type { KubeletHandler, KubeletResponse } from '../kubelet/http.ts';
import { BodyStream } from './body-stream.ts';
import { parseGatewayEvent } from './gateway-event.ts';
import { type Invocation, openInvocation } from './invocation.ts';
import { INTERNAL_ERROR } from './kubelet-handler.ts';
import type { LambdaOptions } from './lambda-handler.ts';
import { chunksUntil } from './until.ts';

/** A streaming function's entry point, as `awslambda.streamifyResponse` makes it. */
export type StreamingLambdaHandler = (event: unknown, responseStream: unknown, context: Context) => Promise<unknown>;

/**
 * Mounts the kubelet API behind a REST API with response streaming: chunks go out as they come. The stream ends as if
 * the log had ended there when the function's time is nearly over; it breaks, rather than look complete, where the
 * source fails. Needs the global `awslambda` of Lambda's runtime when it is called.
 */
export const streamHandler = (handler: KubeletHandler, options: LambdaOptions): StreamingLambdaHandler => {
  const { clock, logger, middlewares = [] } = options;
  const streaming = middify(
    async (event: unknown, context: Context) => {
      const invocation = openInvocation(context, clock);
      try {
        const response = await handler({ ...parseGatewayEvent(event), signal: invocation.signal });
        return streamed(response, invocation, options);
      } catch (error) {
        invocation.close();
        logger.error('kubelet request failed', { error });
        return INTERNAL_ERROR;
      }
    },
    { executionMode: executionModeStreamifyResponse },
  );
  for (const middleware of middlewares) streaming.use(middleware);
  return streamingOnly(streaming);
};

// middy's types know buffered handlers only. Wrapping would lose the mark by which the runtime knows a streaming one.
const streamingOnly = (handler: unknown): StreamingLambdaHandler => {
  if (!isFunction(handler)) throw new TypeError('awslambda.streamifyResponse made no function');
  return handler;
};

const isFunction = (value: unknown): value is StreamingLambdaHandler => typeof value === 'function';

interface StreamedResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | BodyStream;
}

const streamed = (
  { status, headers, body }: KubeletResponse,
  invocation: Invocation,
  options: LambdaOptions,
): StreamedResult => {
  const head = { statusCode: status, headers };
  if (typeof body === 'string') {
    invocation.close();
    return { ...head, body };
  }
  const chunks = body instanceof Uint8Array ? once(body) : body;
  const leave = (): void => {
    invocation.abort(new Error('the client has gone'));
    invocation.close();
  };
  return { ...head, body: new BodyStream(guarded(chunks, invocation, options), leave) };
};

async function* guarded(
  chunks: AsyncIterable<Uint8Array>,
  { signal, close }: Invocation,
  { logger }: LambdaOptions,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunksUntil(chunks, signal);
  } catch (error) {
    logger.error('stream failed', { error });
    // oxlint-disable-next-line eslint/preserve-caught-error -- Lambda logs causes, too, and does not redact them.
    throw new Error('the stream failed: see the log above');
  } finally {
    close();
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
