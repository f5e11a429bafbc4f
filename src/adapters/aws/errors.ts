import { PermanentError, SvkError, ThrottledError, TransientError } from '../../core/errors.ts';

/** What was being done, in the operator's words: `update row POD#… of table svk-dev`. */
export interface AwsCall {
  readonly doing: string;
  /** Said instead of the service's words where the thing itself is missing: what to do about it. */
  readonly missing?: string;
}

/**
 * An error of an AWS SDK client as one of ours, by name and, since some services dress a throttle as something else, by
 * text. Unknown errors are transient: they are retried. The original is the `cause`.
 */
export const awsError = (error: unknown, { doing, missing }: AwsCall): SvkError => {
  if (error instanceof SvkError) return error;
  const name = error instanceof Error ? error.name : '';
  const text = error instanceof Error ? error.message : String(error);
  const message = `could not ${doing}: ${name}: ${text}`;
  const options = { cause: error };
  if (THROTTLES.has(name) || THROTTLE_TEXT.test(text)) return new ThrottledError(message, options);
  if (missing !== undefined && MISSING.has(name)) return new PermanentError(missing, options);
  if (PERMANENT.has(name)) return new PermanentError(message, options);
  return new TransientError(message, options);
};

const THROTTLES = new Set([
  'LimitExceededException',
  'OverLimit',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
]);

const THROTTLE_TEXT = /rate exceeded|too many requests|\bthrottl/i;

const MISSING = new Set([
  'AWS.SimpleQueueService.NonExistentQueue',
  'ParameterNotFound',
  'QueueDoesNotExist',
  'ResourceNotFoundException',
]);

const PERMANENT = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'CredentialsProviderError',
  'InvalidAddress',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'KmsAccessDenied',
  'KmsDisabled',
  'KmsNotFound',
  'MissingAuthenticationToken',
  'ResourceNotFoundException',
  'UnrecognizedClientException',
  'ValidationException',
]);
