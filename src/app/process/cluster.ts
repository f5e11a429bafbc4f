import { type Connection, openConnection } from '../../adapters/kubernetes/connection.ts';
import { createKubernetes } from '../../adapters/kubernetes/kubernetes-api.ts';
import { KubernetesClient } from '../../adapters/kubernetes/kubernetes-client.ts';
import { requestLimiter } from '../../adapters/kubernetes/request-limiter.ts';
import { delaySecondsAfter } from '../../core/backoff.ts';
import type { Clock } from '../../core/clock.ts';
import { sha256Hex } from '../../core/digest.ts';
import { dispositionOf, PermanentError } from '../../core/errors.ts';
import { unlessAborted } from '../../core/unless-aborted.ts';
import type { Kubernetes } from '../../ports/kubernetes.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Telemetry } from '../../ports/metrics.ts';
import type { Variables } from '../../ports/provider-factory.ts';
import { measuredRequests } from './measured-requests.ts';
import type { RunOptions } from './run-options.ts';

/** The cluster that a process serves. */
export interface OpenedCluster {
  readonly client: KubernetesClient;
  readonly kubernetes: Kubernetes;
  /** Names the cluster in keys and in what a provider makes, as in the functions. */
  readonly hash: string;
}

export interface ClusterMeans {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly environment: Variables;
  readonly telemetry: Pick<Telemetry, 'metrics' | 'tracer'>;
  readonly signal: AbortSignal;
}

const HASH_LENGTH = 12;
const BACK_OFF = { initialSeconds: 0.5, maxSeconds: 10 };

/**
 * Reaches the API server, however long it takes to answer.
 * @throws {PermanentError} where the credentials are missing or refused.
 */
export const openCluster = async (
  { kubeconfig, credentialsParameter, apiLimit }: Pick<RunOptions, 'kubeconfig' | 'credentialsParameter' | 'apiLimit'>,
  { clock, logger, environment, telemetry, signal }: ClusterMeans,
): Promise<OpenedCluster> => {
  const connecting = connect({ kubeconfig, credentialsParameter }, { clock, environment });
  // A plugin that gives credentials may hang, and takes no signal.
  const { credentials, tokens, source } = await unlessAborted(connecting, signal);
  logger.info('cluster found', { by: source, server: credentials.server });
  const client = new KubernetesClient(credentials, {
    clock,
    ...(tokens && { tokens }),
    around: measuredRequests(telemetry, clock),
    ...(apiLimit && { limiter: requestLimiter(apiLimit, clock) }),
  });
  const kubernetes = createKubernetes(client);
  for (let failures = 1; ; failures += 1) {
    try {
      return { client, kubernetes, hash: await clusterHash(kubernetes, signal) };
    } catch (error) {
      if (signal.aborted || dispositionOf(error) === 'permanent') {
        client.close();
        throw error;
      }
      logger.warn('the API server does not answer; it is tried again', { error, failures });
      await clock.sleep(delaySecondsAfter(BACK_OFF, failures) * 1_000, signal);
    }
  }
};

const connect = async (
  { kubeconfig, credentialsParameter }: Pick<RunOptions, 'kubeconfig' | 'credentialsParameter'>,
  means: Pick<ClusterMeans, 'clock' | 'environment'>,
): Promise<Connection> => {
  if (credentialsParameter === undefined) return openConnection(kubeconfig, means);
  // The AWS SDK is loaded by those who need it only.
  const { parameterConnection } = await import('./parameter-connection.ts');
  return parameterConnection(credentialsParameter, means);
};

const clusterHash = async (kubernetes: Kubernetes, signal: AbortSignal): Promise<string> => {
  const { metadata } = await kubernetes.cluster.namespace('kube-system', signal);
  if (metadata?.uid === undefined)
    throw new PermanentError('namespace kube-system has no UID: is this a Kubernetes API server?');
  return sha256Hex(metadata.uid, HASH_LENGTH);
};
