import * as z from 'zod/mini';

/** A whole answer, as the client gets it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Uint8Array;
}

export interface BufferedTarget {
  /** serverless-offline's Lambda endpoint: `http://127.0.0.1:3002`. */
  readonly lambdaUrl: string;
  readonly functionName: string;
  /** API Gateway's integration time-out. */
  readonly timeoutMs: number;
}

/** Lambda's limit for the answer of a buffered invocation: 6 MB, as the service counts them. */
const MAX_PAYLOAD_BYTES = 6_291_556;

const header = z.union([z.string(), z.number(), z.boolean()]);
const proxyResult = z.object({
  statusCode: z.number().check(z.int(), z.gte(100), z.lte(599)),
  headers: z.optional(z.nullable(z.record(z.string(), header))),
  multiValueHeaders: z.optional(z.nullable(z.record(z.string(), z.array(header)))),
  body: z.optional(z.nullable(z.string())),
  isBase64Encoded: z.optional(z.boolean()),
});

/**
 * Invokes a function and waits for its answer. A function that fails or answers something else than a proxy result is
 * 502, one that is too slow 504, both in API Gateway's words; `onFault` hears the reason.
 */
export const invokeBuffered = async (
  event: unknown,
  { lambdaUrl, functionName, timeoutMs }: BufferedTarget,
  signal: AbortSignal,
  onFault: (message: string) => void,
): Promise<Answer> => {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${lambdaUrl}/2015-03-31/functions/${functionName}/invocations`, {
      method: 'POST',
      body: JSON.stringify(event),
      signal: AbortSignal.any([signal, timeout]),
    });
    const payload = await response.text();
    if (!response.ok || response.headers.has('x-amz-function-error')) {
      throw new Error(`the function failed: HTTP ${response.status} ${payload.slice(0, 500)}`);
    }
    if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) throw new Error('the answer exceeds 6 MB');
    return toAnswer(z.parse(proxyResult, JSON.parse(payload)));
  } catch (error) {
    if (timeout.aborted) {
      onFault(`${functionName}: no answer within ${timeoutMs} ms`);
      return gatewayAnswer(504, 'Endpoint request timed out');
    }
    if (!signal.aborted) onFault(`${functionName}: ${error instanceof Error ? error.message : String(error)}`);
    return gatewayAnswer(502, 'Internal server error');
  }
};

/** An answer of API Gateway's own. */
export const gatewayAnswer = (status: number, message: string): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ message })),
});

const toAnswer = ({
  statusCode,
  headers,
  multiValueHeaders,
  body,
  isBase64Encoded,
}: z.infer<typeof proxyResult>): Answer => ({
  status: statusCode,
  headers: { ...mapValues(headers ?? {}, String), ...mapValues(multiValueHeaders ?? {}, (all) => all.map(String)) },
  body: Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8'),
});

const mapValues = <T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
