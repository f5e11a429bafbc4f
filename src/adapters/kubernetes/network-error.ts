import { PermanentError, SvkError, TransientError } from '../../core/errors.ts';

/** Codes of certificate checks that will not pass until somebody mends the configuration. */
const UNTRUSTED = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Where each of those that end up here reads it from. */
const AUTHORITY =
  'certificate-authority-data of a kubeconfig, --certificate-authority of kubectl svk, certificateAuthorityFile of provider web';

/** The error of core/errors for a request that got no answer, or not the whole of it. Keeps the cause. */
export const toNetworkError = (cause: unknown, call: string, origin: string, signal: AbortSignal): SvkError => {
  if (cause instanceof SvkError) return cause;
  if (signal.aborted) {
    const reason: unknown = signal.reason;
    if (reason instanceof SvkError) return reason;
    return new TransientError(`${call}: given up before it was answered`, { cause: reason });
  }
  const code = codeOf(cause);
  if (code !== undefined && UNTRUSTED.has(code))
    return new PermanentError(
      `${call}: the certificate of ${origin} is not trusted (${code}); name the CA that signed it: ${AUTHORITY}`,
      { cause },
    );
  if (code?.startsWith('ERR_OSSL_') || code === 'ERR_INVALID_CHAR')
    return new PermanentError(
      `${call}: the credentials for ${origin} cannot be used (${code}): certificates and keys must be PEM texts that belong together, and a token one line`,
      { cause },
    );
  return new TransientError(`${call}: ${origin} does not answer (${code ?? 'broken connection'})`, { cause });
};

/** `ECONNRESET` and its like; undefined where the error has none. */
export const codeOf = (error: unknown): string | undefined => {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
};
