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

/** What a service may say about its refusal: `{"error": "..."}`. */
const refusalSchema = z.object({ error: z.string() });

const LONGEST_TEXT = 1_024;

/** The error of core/errors that says what to do about an answer other than 2xx. Quotes `error` of the body, nothing else. */
export const errorOfAnswer = (
  call: string,
  {
    status,
    retryAfter,
    body,
  }: { readonly status: number; readonly retryAfter?: string | undefined; readonly body: string },
): SvkError => {
  const message = `${call}: ${textOf(body) ?? `HTTP ${status}`}`;
  switch (status) {
    case 400:
    case 413:
    case 422:
      return new InvalidError(message);
    case 404:
      return new NotFoundError(message);
    case 408:
    case 425:
      return new TransientError(message);
    case 409:
      return new ConflictError(message);
    case 429:
      return new ThrottledError(message, retryAfterOf(retryAfter));
    case 401:
    case 403:
      return new PermanentError(`${message}: the service does not accept our credentials; renew authorizationFile`);
    default:
      if (status >= 500 && status !== 501) return new TransientError(message);
      if (status >= 300 && status < 400)
        return new PermanentError(`${message}: redirects are not followed; let url name the service itself`);
      return new PermanentError(message);
  }
};

const textOf = (body: string): string | undefined => {
  try {
    const { data } = refusalSchema.safeParse(JSON.parse(body));
    return data?.error.slice(0, LONGEST_TEXT);
  } catch {
    return undefined;
  }
};

const retryAfterOf = (text: string | undefined): { readonly retryAfterMs?: number } =>
  text !== undefined && /^\d{1,5}$/.test(text) ? { retryAfterMs: Number(text) * 1_000 } : {};
