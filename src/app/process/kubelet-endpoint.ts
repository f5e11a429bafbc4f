import { codeOf } from '../../adapters/kubernetes/network-error.ts';
import { every } from '../../controllers/watch/every.ts';
import type { Clock } from '../../core/clock.ts';
import { PermanentError } from '../../core/errors.ts';
import type { KubeletHandler } from '../../kubelet/http.ts';
import type { Kubernetes } from '../../ports/kubernetes.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ListenAddress } from '../../ports/metrics.ts';
import {
  type KubeletServer,
  type KubeletServerOptions,
  type ServerCertificates,
  startKubeletServer,
} from '../../server/kubelet-server.ts';
import { type CertificateOptions, publishedClientAuthority, readCertificates } from './certificates.ts';

/** Where the kubelet API of a process listens, before anybody can answer there. */
export interface KubeletEndpoint {
  readonly port: number;
  /** Answers requests from now on. */
  answerBy(handler: KubeletHandler): void;
  close(): Promise<void>;
}

export interface KubeletEndpointOptions {
  readonly listen: ListenAddress;
  readonly naming: CertificateOptions;
  readonly certificates: ServerCertificates;
}

const CERTIFICATES_MS = 60_000;

const NOT_READY = {
  status: 503,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'the node is starting',
};

/**
 * Listens. Callers are known by the CA of the options, else by the one the cluster publishes; certificate files that change
 * are taken up for new connections, until `signal` aborts.
 * @throws {PermanentError} where the address is taken or the certificates do not parse.
 */
export const openKubeletEndpoint = async (
  { listen, naming, certificates }: KubeletEndpointOptions,
  {
    kubernetes,
    clock,
    logger,
    signal,
  }: {
    readonly kubernetes: Pick<Kubernetes, 'sources'>;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly signal: AbortSignal;
  },
): Promise<KubeletEndpoint> => {
  const trusted = await withClientAuthority(certificates, () =>
    publishedClientAuthority(kubernetes, { logger, signal }),
  );
  let answer: KubeletHandler = () => Promise.resolve(NOT_READY);
  const server = await start({
    ...listen,
    certificates: trusted,
    handler: (request) => answer(request),
    clock,
    logger,
  });
  const renewing = renewCertificates(server, trusted, naming, { clock, logger, signal });
  return {
    port: server.port,
    answerBy: (handler) => {
      answer = handler;
    },
    close: async () => {
      await server.close();
      // It ends with the signal; whoever fails before that does not wait for it.
      if (signal.aborted) await renewing;
    },
  };
};

const withClientAuthority = async (
  certificates: ServerCertificates,
  published: () => Promise<string | undefined>,
): Promise<ServerCertificates> => {
  if (certificates.clientCertificateAuthority !== undefined) return certificates;
  const authority = await published();
  return authority === undefined ? certificates : { ...certificates, clientCertificateAuthority: authority };
};

const start = async (options: KubeletServerOptions): Promise<KubeletServer> => {
  try {
    return await startKubeletServer(options);
  } catch (cause) {
    const { host, port } = options;
    throw new PermanentError(
      codeOf(cause)?.startsWith('ERR_OSSL')
        ? 'the certificate and the private key of the kubelet API must be PEM texts that belong together'
        : `the kubelet API cannot listen at ${host}:${port} (${codeOf(cause) ?? 'no reason given'}): choose another address by --listen or KUBELET_PORT`,
      { cause },
    );
  }
};

const renewCertificates = (
  server: KubeletServer,
  first: ServerCertificates,
  naming: CertificateOptions,
  { clock, logger, signal }: { readonly clock: Clock; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<void> => {
  // One that was made here has no file that could change.
  if (naming.files.certificate === undefined) return Promise.resolve();
  let current = first;
  return every({ ms: CERTIFICATES_MS, what: 'certificates' }, { clock, logger, signal }, async () => {
    const next = { ...first, ...(await readCertificates(naming, { clock, logger })) };
    if (next.certificate === current.certificate && next.privateKey === current.privateKey) return;
    server.renew(next);
    current = next;
    logger.info('certificates renewed', {});
  });
};
