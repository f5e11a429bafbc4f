import { InvalidError, NotFoundError, SvkError } from '../core/errors.ts';
import type { KubeletResponse } from './http.ts';

/** A plain text answer, as kubelet's errors are. The API server repeats the text to kubectl's user. */
export const text = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): KubeletResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...headers },
  body,
});

/** A JSON answer. */
export const json = (status: number, value: unknown): KubeletResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

/**
 * A complete metav1.Status: the only refusal of an upgrade whose message reaches kubectl's user on every path (WebSocket,
 * SPDY and the API server's translator).
 */
export const failure = (code: number, reason: string, message: string): KubeletResponse =>
  json(code, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code });

/**
 * The answer to an error of a port, by its class as virtual-kubelet does: not-found 404, invalid 400, the rest 500. The
 * text of anything that is not an error of ours stays inside: it may hold what the caller must not see.
 */
export const errorResponse = (error: unknown): KubeletResponse => {
  if (error instanceof NotFoundError) return text(404, error.message);
  if (error instanceof InvalidError) return text(400, error.message);
  return text(500, error instanceof SvkError ? error.message : 'internal error');
};
