import * as z from 'zod/mini';
import {
  ConflictError,
  InvalidError,
  NotFoundError,
  PermanentError,
  type SvkError,
  ThrottledError,
  TransientError,
} from '../../core/errors.ts';

/** `metav1.Status` as far as errors need it. */
const failure = z.looseObject({
  kind: z.literal('Status'),
  message: z.optional(z.string()),
  reason: z.optional(z.string()),
  code: z.optional(z.number()),
  details: z.optional(
    z.looseObject({
      retryAfterSeconds: z.optional(z.number()),
      causes: z.optional(z.array(z.looseObject({ field: z.optional(z.string()) }))),
    }),
  ),
});

export interface Refusal {
  /** HTTP status, or the code inside a watch's ERROR event. */
  readonly code: number;
  /** The parsed body; anything but a Status is ignored, so that no foreign text reaches a log. */
  readonly body: unknown;
  /** Value of the Retry-After header. */
  readonly retryAfter?: string | undefined;
  /** `GET /api/v1/…`, without query. */
  readonly call: string;
}

/** The Node authorizer learns of a binding by a watch of its own, a moment after we do. */
const NODE_GRAPH_LAGS = /no relationship found between node/;

/** The error of core/errors that says what to do about an answer of 300 and above. */
export const toError = ({ code, body, retryAfter, call }: Refusal): SvkError => {
  const status = failure.safeParse(body);
  const message = `${call}: ${status.data?.message ?? `HTTP ${code}`}`;
  switch (code) {
    case 400:
    case 413:
      return new InvalidError(message);
    case 422:
      // So the server answers a patch that is bound to the UID of an earlier object of the same name.
      return status.data?.details?.causes?.some(({ field }) => field === 'metadata.uid')
        ? new ConflictError(message)
        : new InvalidError(message);
    case 401:
      return new PermanentError(`${message}: the API server does not accept our credentials; renew them`);
    case 403:
      return NODE_GRAPH_LAGS.test(message) ? new TransientError(message) : new PermanentError(message);
    case 404:
      // A proxy's 404 says nothing about the object, and believing it could stop pods that live.
      return status.success
        ? new NotFoundError(message)
        : new TransientError(`${message}, but not from an API server; check the server's address and path`);
    case 409:
    case 410:
      return new ConflictError(message);
    case 429: {
      const seconds = status.data?.details?.retryAfterSeconds ?? Number(retryAfter);
      return new ThrottledError(message, Number.isFinite(seconds) ? { retryAfterMs: seconds * 1_000 } : {});
    }
    case 405:
    case 406:
    case 415:
      return new PermanentError(message);
    default:
      return code < 400
        ? new PermanentError(`${message}: a redirect; let server name the API server itself`)
        : new TransientError(message);
  }
};
