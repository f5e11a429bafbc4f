import { every } from '../../../controllers/watch/every.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Kubernetes } from '../../../ports/kubernetes.ts';
import type { Logger } from '../../../ports/logger.ts';
import { REREAD_MS, readPem } from './certificate-files.ts';

/** Who signs those that may call the kubelet API. */
export interface ClientAuthority {
  /** A PEM text; undefined: nobody knows, and no client certificate is believed. */
  readonly first: string | undefined;
  /** Hands every later one to `renew`, until `signal` aborts. Never rejects. */
  run(renew: (authority: string) => void, signal: AbortSignal): Promise<void>;
}

const ASK_AGAIN_MS = 600_000;

export interface AuthorityMeans {
  readonly kubernetes: Pick<Kubernetes, 'sources'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * The CA of a file (read again every ten seconds), else the one that the cluster publishes (asked for again every ten
 * minutes). @throws {PermanentError} where the file cannot be read.
 */
export const clientAuthority = async (file: string | undefined, means: AuthorityMeans): Promise<ClientAuthority> => {
  const { kubernetes, clock, logger } = means;
  const read =
    file === undefined
      ? (signal: AbortSignal) => publishedClientAuthority(kubernetes, { logger, signal })
      : () => readPem(file, 'client CA', 'APISERVER_CA_CERT_LOCATION');
  const first = await read(means.signal);
  return {
    first,
    // A server that began without one never asks clients for a certificate.
    run: (renew, signal) => {
      if (first === undefined) return Promise.resolve();
      let current = first;
      const ms = file === undefined ? ASK_AGAIN_MS : REREAD_MS;
      return every({ ms, what: 'client CA' }, { clock, logger, signal }, async () => {
        const next = await read(signal);
        if (next === undefined || next === current) return;
        // Perhaps it is being written.
        if (!next.includes('-----BEGIN CERTIFICATE-----')) throw new Error('the client CA is no PEM text');
        renew(next);
        current = next;
        logger.info('client CA renewed', {});
      });
    },
  };
};

/**
 * The CA of those who call kubelets, as the cluster publishes it for its extensions; undefined where it does not, or where
 * we may not read it.
 */
const publishedClientAuthority = async (
  { sources }: Pick<Kubernetes, 'sources'>,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<string | undefined> => {
  const unknown = (error?: unknown): undefined => {
    logger.warn(
      'the CA of those who call kubelets is not known: the API server cannot prove who it is, and kubectl logs will be refused; name the CA by --client-ca-file',
      { error },
    );
    return undefined;
  };
  try {
    const { data } = await sources.configMap('kube-system', 'extension-apiserver-authentication', signal);
    return data?.['client-ca-file'] ?? unknown();
  } catch (error) {
    return unknown(error);
  }
};
