import { codeOf } from '../../adapters/kubernetes/network-error.ts';
import type { Clock } from '../../core/clock.ts';
import { PermanentError } from '../../core/errors.ts';
import type { KubeletRequest, KubeletResponse } from '../../kubelet/http.ts';
import { failure, text } from '../../kubelet/responses.ts';
import { asksToUpgrade, type UpgradeHandler } from '../../kubelet/upgrade.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ListenAddress } from '../../ports/metrics.ts';
import {
  type KubeletServer,
  type KubeletServerOptions,
  type ServerCertificates,
  startKubeletServer,
} from '../../server/kubelet-server.ts';
import type { CertificateSource } from './certificates/certificate-source.ts';
import type { ClientAuthority } from './certificates/client-authority.ts';

/** Where the kubelet API of a process listens, before anybody can answer there. */
export interface KubeletEndpoint {
  readonly port: number;
  /** Whether there is a certificate to serve with. */
  isServing(): boolean;
  /** Answers requests from now on. */
  answerBy(handler: UpgradeHandler): void;
  close(): Promise<void>;
}

export interface KubeletEndpointOptions {
  readonly listen: ListenAddress;
  readonly certificate: CertificateSource;
  readonly authority: ClientAuthority;
  /** Of exec, attach and port-forward. Default: kubelet's. */
  readonly streamLimits?: NonNullable<KubeletServerOptions['streamLimits']>;
}

const NOT_READY = {
  status: 503,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'the node is starting',
};

/**
 * Listens. Certificates that change are taken up for new connections, until `signal` aborts; those that are open keep
 * theirs. Until there is one to serve with, every request is answered with the reason.
 * @throws {PermanentError} where the address is taken or the certificates do not parse.
 */
export const openKubeletEndpoint = async (
  { listen, certificate, authority, streamLimits }: KubeletEndpointOptions,
  { clock, logger, signal }: { readonly clock: Clock; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<KubeletEndpoint> => {
  let answer: UpgradeHandler = () => Promise.resolve(NOT_READY);
  let current: ServerCertificates = {
    ...certificate.first,
    ...(authority.first !== undefined && { clientCertificateAuthority: authority.first }),
  };
  const server = await start({
    ...listen,
    certificates: current,
    handler: async (request) => {
      const refusal = certificate.refusal();
      return refusal === undefined ? answer(request) : refuse(request, refusal);
    },
    ...(streamLimits && { streamLimits }),
    clock,
    logger,
  });
  const renew = (next: Partial<ServerCertificates>): void => {
    const all = { ...current, ...next };
    server.renew(all);
    current = all;
  };
  const renewing = Promise.all([
    certificate.run(renew, signal),
    authority.run((clientCertificateAuthority) => renew({ clientCertificateAuthority }), signal),
  ]);
  return {
    port: server.port,
    isServing: () => certificate.refusal() === undefined,
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

/**
 * In words that reach kubectl's user: of a plain request API servers hand on the text of a 500 and hide that of a 503; of an
 * upgrade they hand on a Status.
 */
const refuse = (request: KubeletRequest, reason: string): KubeletResponse =>
  asksToUpgrade(request) ? failure(503, 'ServiceUnavailable', reason) : text(500, reason);

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
