import { X509Certificate } from 'node:crypto';
import { every } from '../../../controllers/watch/every.ts';
import type { Clock } from '../../../core/clock.ts';
import { NotFoundError, PermanentError } from '../../../core/errors.ts';
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
/** The cluster may have been too busy to tell, or the right to read it may come later. */
const ASK_AGAIN_UNKNOWN_MS = 60_000;

export interface AuthorityMeans {
  readonly kubernetes: Pick<Kubernetes, 'sources'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * The CA of a file (read again every ten seconds), else the one that the cluster publishes (asked for again every ten
 * minutes, every minute as long as it is not known).
 * @throws {PermanentError} where the file cannot be read, or holds no certificates.
 */
export const clientAuthority = async (file: string | undefined, means: AuthorityMeans): Promise<ClientAuthority> => {
  const { kubernetes, clock, logger } = means;
  const read =
    file === undefined
      ? (signal: AbortSignal) => publishedClientAuthority(kubernetes, signal)
      : () => readPem(file, 'client CA', 'APISERVER_CA_CERT_LOCATION');
  const first = await read(means.signal).catch((error: unknown) => {
    if (file !== undefined) throw error;
    logger.warn(UNKNOWN, { error });
    return undefined;
  });
  if (file !== undefined && !holdsCertificates(first))
    throw new PermanentError(
      `the client CA ${file} (APISERVER_CA_CERT_LOCATION) holds no certificates: it must be PEM`,
    );
  return {
    first,
    run: (renew, signal) => {
      let current = first;
      const ms = file !== undefined ? REREAD_MS : first === undefined ? ASK_AGAIN_UNKNOWN_MS : ASK_AGAIN_MS;
      return every({ ms, what: 'client CA' }, { clock, logger, signal }, async () => {
        const next = await read(signal).catch((error: unknown) => {
          // That it is not known was told once.
          if (current !== undefined) throw error;
          return undefined;
        });
        if (next === undefined || next === current) return;
        // Perhaps it is being written.
        if (!holdsCertificates(next)) throw new Error('the client CA is no PEM text');
        renew(next);
        current = next;
        logger.info('client CA renewed', {});
      });
    },
  };
};

const UNKNOWN =
  'the CA of those who call kubelets is not known: the API server cannot prove who it is, and kubectl logs will be refused; name the CA by --client-ca-file';

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** A text of PEM certificates, all of them whole: OpenSSL takes anything, and then believes nobody. */
const holdsCertificates = (pem = ''): boolean => {
  const blocks = pem.match(BLOCK) ?? [];
  if (blocks.length === 0 || blocks.length !== pem.split('-----BEGIN CERTIFICATE-----').length - 1) return false;
  try {
    return blocks.every((block) => new X509Certificate(block).raw.length > 0);
  } catch {
    return false;
  }
};

/**
 * The CA of those who call kubelets, as the cluster publishes it for its extensions.
 * @throws {SvkError} where it does not, or where we may not read it.
 */
const publishedClientAuthority = async (
  { sources }: Pick<Kubernetes, 'sources'>,
  signal: AbortSignal,
): Promise<string> => {
  const { data } = await sources.configMap('kube-system', 'extension-apiserver-authentication', signal);
  const authority = data?.['client-ca-file'];
  if (authority === undefined || !holdsCertificates(authority))
    throw new NotFoundError('the ConfigMap extension-apiserver-authentication has no certificates in client-ca-file');
  return authority;
};
