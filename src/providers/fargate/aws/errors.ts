import * as z from 'zod/mini';
import { NotFoundError, PermanentError, type SvkError, ThrottledError, TransientError } from '../../../core/errors.ts';

/** What an SDK error says, without its type. */
export interface AwsFault {
  readonly kind: AwsFaultKind;
  readonly name: string;
  readonly message: string;
}

/**
 * - `unanswered`: time-out, broken connection, abort: nobody knows what the service did.
 * - `server`: the service failed and says so.
 * - `throttled`, `denied` (credentials, permissions), `not-found`: by name, and throttles by text as well.
 * - `refused`: every other answer.
 */
export type AwsFaultKind = 'unanswered' | 'server' | 'throttled' | 'denied' | 'not-found' | 'refused';

const sdkError = z.looseObject({
  name: z._default(z.string(), 'Error'),
  message: z._default(z.string(), ''),
  $metadata: z.optional(z.looseObject({ httpStatusCode: z.optional(z.number()) })),
});

const THROTTLES = new Set([
  'ThrottlingException',
  'Throttling',
  'ThrottledException',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestLimitExceeded',
  'TooManyRequestsException',
  'TooManyUpdates',
  'SlowDown',
]);

/** Throttles of other services come wrapped in invalid-parameter errors of ECS. */
const THROTTLE_TEXT = /rate exceeded|requestlimitexceeded|request limit exceeded|throttl|too many concurrent attempts/i;

const DENIALS = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'UnauthorizedOperation',
  'UnrecognizedClientException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'MissingAuthenticationToken',
  'MissingAuthenticationTokenException',
  'IncompleteSignature',
  'ExpiredToken',
  'ExpiredTokenException',
  'OptInRequired',
  'CredentialsProviderError',
  'TokenProviderError',
]);

const MISSES = new Set([
  'ClusterNotFoundException',
  'ResourceNotFoundException',
  'ParameterNotFound',
  'TargetNotFoundException',
]);

/** Reads an SDK error by what it says; anything that is no answer of the service counts as unanswered. */
export const awsFaultOf = (error: unknown): AwsFault => {
  const parsed = sdkError.safeParse(error);
  const { name, message, $metadata } = parsed.success
    ? parsed.data
    : { name: 'Error', message: String(error), $metadata: undefined };
  return { kind: kindOf(name, message, $metadata?.httpStatusCode), name, message };
};

const kindOf = (name: string, message: string, status: number | undefined): AwsFaultKind => {
  if (DENIALS.has(name)) return 'denied';
  if (status === undefined) return 'unanswered';
  if (THROTTLES.has(name) || status === 429 || THROTTLE_TEXT.test(message)) return 'throttled';
  if (status >= 500 || name === 'ServerException') return 'server';
  if (MISSES.has(name)) return 'not-found';
  return status === 401 || status === 403 ? 'denied' : 'refused';
};

/**
 * An SDK error in the words of core/errors. `secret`: the request held a secret value, which services may repeat in their
 * messages, so that neither message nor cause is kept.
 */
export const translateAwsError = (error: unknown, operation: string, { secret = false } = {}): SvkError => {
  const { kind, name, message } = awsFaultOf(error);
  const text = secret ? `${operation}: ${name}` : `${operation}: ${name}: ${message}`;
  const options = secret ? {} : { cause: error };
  switch (kind) {
    case 'unanswered':
    case 'server':
      return new TransientError(text, options);
    case 'throttled':
      return new ThrottledError(text, options);
    case 'not-found':
      return new NotFoundError(text, options);
    case 'denied':
    case 'refused':
      return new PermanentError(text, options);
    default:
      return kind satisfies never;
  }
};

/** Runs one call, translating what it throws. */
export const translated = async <T>(
  operation: string,
  call: () => Promise<T>,
  options?: { readonly secret: boolean },
): Promise<T> => {
  try {
    return await call();
  } catch (error) {
    throw translateAwsError(error, operation, options);
  }
};
