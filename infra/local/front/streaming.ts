import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { gatewayAnswer } from './buffered.ts';
import { IntegrationResponse } from './integration-response.ts';
import { installAwsLambda, type LambdaResponseStream, LocalResponseStream } from './response-stream.ts';

/** What `awslambda.streamifyResponse` makes of a handler. */
export type StreamingHandler = (
  event: APIGatewayProxyEvent,
  stream: LambdaResponseStream,
  context: unknown,
) => Promise<unknown>;

export interface StreamingTarget {
  readonly functionName: string;
  /** Loaded once, with the first request. */
  readonly handler: () => Promise<StreamingHandler>;
  /** The function's own time-out: 15 minutes at most. */
  readonly timeoutMs: number;
  /** API Gateway cuts a stream that is silent for this long: 5 minutes. */
  readonly idleTimeoutMs: number;
}

/**
 * Loads a streaming function from its built bundle into this process. `environment` is what the function finds in its
 * environment; it is set for the whole process, because the bundle reads it when it loads.
 * @throws {Error} where the bundle has no such export.
 */
export const loadStreamingHandler = async (bundle: {
  readonly file: string;
  readonly exportName: string;
  readonly environment: Readonly<Record<string, string>>;
}): Promise<StreamingHandler> => {
  installAwsLambda();
  Object.assign(process.env, bundle.environment);
  const loaded: unknown = await import(pathToFileURL(resolve(bundle.file)).href);
  // A CommonJS bundle shows its exports by name only where Node can tell them without running it.
  const handler = memberOf(loaded, bundle.exportName) ?? memberOf(memberOf(loaded, 'default'), bundle.exportName);
  if (!isHandler(handler)) throw new Error(`${bundle.file} has no function "${bundle.exportName}"`);
  return handler;
};

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const isHandler = (value: unknown): value is StreamingHandler => typeof value === 'function';

/**
 * Runs a streaming function and sends what it writes as it comes. As in an account: without metadata 502, over its time
 * or silent too long the connection is cut. Unlike there the function's stream is destroyed when the client leaves,
 * so that no follow goes on unseen.
 */
export const invokeStreaming = async (
  event: APIGatewayProxyEvent,
  target: StreamingTarget,
  response: ServerResponse,
  onFault: (message: string) => void,
): Promise<void> => {
  if (response.closed) return;
  let failed = false;
  const fail = (reason: string): void => {
    if (response.closed || failed) return;
    failed = true;
    onFault(`${target.functionName}: ${reason}`);
    if (response.headersSent) return void response.destroy();
    const { status, headers, body } = gatewayAnswer(502, 'Internal server error');
    response.writeHead(status, headers).end(body);
  };
  const deadline = Date.now() + target.timeoutMs;
  const timeout = setTimeout(() => fail(`timed out after ${target.timeoutMs} ms`), target.timeoutMs);
  const idle = setTimeout(() => fail(`silent for ${target.idleTimeoutMs} ms`), target.idleTimeoutMs);
  const stream = new LocalResponseStream(sender(response, () => idle.refresh()));
  stream.on('error', (error) => fail(error.message));
  response.once('close', () => {
    clearTimeout(timeout);
    clearTimeout(idle);
    stream.destroy();
  });
  try {
    const handler = await target.handler();
    await handler(event, stream, contextOf(target, deadline));
    await finished(stream);
    if (!response.headersSent) return fail('ended without metadata');
    response.end();
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
};

const sender = (response: ServerResponse, onWrite: () => void): ((chunk: Uint8Array) => Promise<void>) => {
  const answer = new IntegrationResponse();
  return async (chunk) => {
    onWrite();
    const { metadata, body } = answer.feed(chunk);
    if (metadata !== undefined) {
      response.writeHead(metadata.status, withoutLength(metadata.headers));
      response.flushHeaders();
    }
    if (body.length > 0 && !response.write(body)) await once(response, 'drain');
  };
};

// A streamed answer is chunked whatever its function says.
const withoutLength = (headers: Readonly<Record<string, string | string[]>>): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(content-length|transfer-encoding|connection)$/i.test(name)),
  );

const contextOf = ({ functionName }: StreamingTarget, deadline: number): object => ({
  awsRequestId: randomUUID(),
  functionName,
  functionVersion: '$LATEST',
  invokedFunctionArn: `arn:aws:lambda:eu-west-1:000000000000:function:${functionName}`,
  memoryLimitInMB: '256',
  logGroupName: `/aws/lambda/${functionName}`,
  logStreamName: 'local',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
});
