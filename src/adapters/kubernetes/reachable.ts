import { PermanentError, SvkError } from '../../core/errors.ts';
import type { Kubernetes } from '../../ports/kubernetes.ts';

/**
 * Asks the API server for its version, so that a start fails at once and readably. `source` names where the credentials
 * come from: `kubeconfig ./admin.kubeconfig`.
 * @throws {PermanentError} in one sentence that names the source, what happened and the fix.
 */
export const checkReachable = async (kubernetes: Kubernetes, source: string, signal: AbortSignal): Promise<string> => {
  try {
    return await kubernetes.cluster.version(signal);
  } catch (cause) {
    const why = cause instanceof SvkError ? cause.message : 'no answer';
    throw new PermanentError(`${source} leads to no API server (${why}); start it, or name another kubeconfig`, {
      cause,
    });
  }
};
