import type { APIGatewayProxyResult } from 'aws-lambda';
import type { KubeletHandler, KubeletResponse } from '../kubelet/http.ts';
import { parseGatewayEvent } from './gateway-event.ts';
import { openInvocation } from './invocation.ts';
import { type LambdaHandler, type LambdaOptions, lambdaHandler } from './lambda-handler.ts';
import { chunksUntil } from './until.ts';

/** A Lambda function answers 6 MB at most, base64 included. */
const MAX_BYTES = 4_500_000;

/**
 * Mounts the kubelet API behind API Gateway (HTTP API or REST API, buffered). A stream is collected until it ends, the
 * time is nearly over or 4.5 MB are full: it then ends as if the log had ended there, with no text of ours in it.
 */
export const kubeletHandler = (
  handler: KubeletHandler,
  options: LambdaOptions,
): LambdaHandler<APIGatewayProxyResult> => {
  const { clock, logger } = options;
  return lambdaHandler(async (event, context) => {
    const invocation = openInvocation(context, clock);
    try {
      const response = await handler({ ...parseGatewayEvent(event), signal: invocation.signal });
      return await buffered(response, invocation.signal);
    } catch (error) {
      logger.error('kubelet request failed', { error });
      return INTERNAL_ERROR;
    } finally {
      invocation.close();
    }
  }, options);
};

export const INTERNAL_ERROR = {
  statusCode: 500,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'internal error',
} as const;

const buffered = async (
  { status, headers, body }: KubeletResponse,
  signal: AbortSignal,
): Promise<APIGatewayProxyResult> => {
  const head = { statusCode: status, headers: { ...headers } };
  if (typeof body === 'string') return { ...head, body, isBase64Encoded: false };
  const bytes = body instanceof Uint8Array ? body : await collect(body, signal);
  return { ...head, body: Buffer.from(bytes).toString('base64'), isBase64Encoded: true };
};

const collect = async (body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunksUntil(body, signal)) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length >= MAX_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES);
};
