/**
 * What the caller must do about an error. Controllers branch on the class only; adapters and providers translate.
 *
 * - `transient`: the same call may succeed later; retry with back-off, for ever.
 * - `throttled`: the service asked for less; retry later, the same attempt.
 * - `conflict`: somebody else wrote first; read again.
 * - `not-found`: the object is not there.
 * - `invalid`: the pod (or the request) asks for something that cannot be; tell the user.
 * - `permanent`: our configuration or permissions are wrong; tell the operator.
 */
export type Disposition = 'transient' | 'throttled' | 'conflict' | 'not-found' | 'invalid' | 'permanent';

/** Base of every error that crosses a port. `cause` keeps the original error. */
export abstract class SvkError extends Error {
  abstract readonly disposition: Disposition;
}

/** The same call may succeed later: time-outs, 5xx answers, broken connections. */
export class TransientError extends SvkError {
  override readonly name = 'TransientError';
  readonly disposition = 'transient';
}

/** The service asked for less. `retryAfterMs` repeats its advice where it gave one. */
export class ThrottledError extends SvkError {
  override readonly name = 'ThrottledError';
  readonly disposition = 'throttled';
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Somebody else wrote first: read again before deciding anew. */
export class ConflictError extends SvkError {
  override readonly name = 'ConflictError';
  readonly disposition = 'conflict';
}

/** The object is not there, said by whoever owns it. */
export class NotFoundError extends SvkError {
  override readonly name = 'NotFoundError';
  readonly disposition = 'not-found';
}

/**
 * The pod or the request asks for something that cannot be. The message is meant for its author. `problems` tells each
 * fault with its path, where they are known one by one.
 */
export class InvalidError extends SvkError {
  override readonly name = 'InvalidError';
  readonly disposition = 'invalid';
  readonly problems: readonly { readonly field: string; readonly message: string }[];

  constructor(message: string, options: ErrorOptions & { readonly problems?: InvalidError['problems'] } = {}) {
    super(message, options);
    this.problems = options.problems ?? [];
  }
}

/** Configuration or permissions are wrong; only the operator can mend it. */
export class PermanentError extends SvkError {
  override readonly name = 'PermanentError';
  readonly disposition = 'permanent';
}

/** The disposition of anything thrown. What we do not know is retried: giving up on it could lose a pod. */
export const dispositionOf = (error: unknown): Disposition =>
  error instanceof SvkError ? error.disposition : 'transient';

/** Resolves to undefined where `promise` is rejected with a {@link NotFoundError}; every other rejection passes. */
export const ignoreNotFound = async <T>(promise: Promise<T>): Promise<T | undefined> => {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
};
