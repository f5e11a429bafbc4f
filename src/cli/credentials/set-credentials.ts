import type { KubernetesCredentials } from '../../adapters/kubernetes/credentials.ts';
import { credentialsFromKubeconfig } from '../../adapters/kubernetes/credentials-from-kubeconfig.ts';
import { SystemClock } from '../../adapters/system/system-clock.ts';
import { parameterNames } from '../../config/parameter-names.ts';
import type { Clock } from '../../core/clock.ts';
import { kubeconfigOf } from '../cluster/open-operator-client.ts';
import type { CommandContext } from '../commands/command-context.ts';
import { refuseUnusable, tryCredentials } from './check-credentials.ts';
import { endOfCredentials } from './lifetime.ts';
import { openParameters } from './open-parameters.ts';
import { serviceAccountCredentials } from './service-account-token.ts';
import { ensureWebhookSecret } from './webhook-secret.ts';

const TIME_LIMIT_MS = 30_000;

export interface SetCredentialsOptions {
  readonly deployment: string;
  readonly region?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly eks?: string;
  readonly eksRegion?: string;
  /** `namespace/name`; true: the one of `svk manifests`. */
  readonly serviceAccount?: string | true;
  readonly server?: string;
  readonly tlsServerName?: string;
  readonly check: boolean;
}

/**
 * `svk credentials set`: resolves a kubeconfig, or asks EKS, tries the result, and stores it for the functions, which
 * read it again within minutes. Nothing that is printed tells a key or a token.
 * @throws {SvkError} in one sentence with the remedy; nothing is stored then.
 */
export const setCredentials = async (options: SetCredentialsOptions, context: CommandContext): Promise<void> => {
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  const clock = new SystemClock();
  const { parameters, region } = openParameters(options.region, context);
  const credentials = {
    ...(await readCredentials(options, region, context, { clock, signal })),
    ...(options.server !== undefined && { server: options.server }),
    ...(options.tlsServerName !== undefined && { tlsServerName: options.tlsServerName }),
  };
  if (options.check) {
    refuseUnusable(credentials, clock.now());
    // Only the functions can sign for their roles.
    if (!credentials.eks) context.print(`cluster ${await tryCredentials(credentials, clock, signal)} answers`);
  }
  const names = parameterNames(options.deployment);
  const description = `How svk ${options.deployment} reaches the Kubernetes API server`;
  await parameters.putSecret(names.credentials, JSON.stringify(credentials), description, signal);
  context.print(`stored how to reach ${credentials.server} in SSM parameter ${names.credentials} (${region})`);
  if (await ensureWebhookSecret(parameters, names.admission, signal))
    context.print(`stored a new secret of the webhook in SSM parameter ${names.admission}`);
  const end = endOfCredentials(credentials);
  if (end !== undefined) context.print(`they end at ${new Date(end).toISOString()}: store new ones before`);
  context.print('the functions use them within five minutes; nothing has to be deployed');
};

const readCredentials = async (
  { deployment, kubeconfig, context, eks, eksRegion, serviceAccount }: SetCredentialsOptions,
  region: string,
  { environment }: CommandContext,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<KubernetesCredentials> => {
  if (eks !== undefined) {
    // Loaded only here: no other command needs it.
    const { describeEksCluster } = await import('../../adapters/eks/describe-cluster.ts');
    const endpoint = environment['AWS_ENDPOINT_URL_EKS'];
    const cluster = { cluster: eks, region: eksRegion ?? region };
    return describeEksCluster(cluster, { signal, ...(endpoint !== undefined && { endpoint }) });
  }
  const file = kubeconfigOf(kubeconfig === undefined ? {} : { kubeconfig }, { environment });
  if (serviceAccount !== undefined) {
    const [namespace = '', name = ''] = (
      serviceAccount === true ? `svk-system/svk-${deployment}` : serviceAccount
    ).split('/');
    const options = { kubeconfig: file, context, environment, clock, signal };
    return serviceAccountCredentials({ namespace, name }, options);
  }
  return credentialsFromKubeconfig(file, context === undefined ? {} : { context });
};
