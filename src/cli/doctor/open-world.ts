import type { IncomingMessage } from 'node:http';
import { openConnection } from '../../adapters/kubernetes/connection.ts';
import { type KubernetesCredentials, parseCredentials } from '../../adapters/kubernetes/credentials.ts';
import { KubernetesClient } from '../../adapters/kubernetes/kubernetes-client.ts';
import { parameterNames } from '../../config/parameter-names.ts';
import type { Clock } from '../../core/clock.ts';
import { PermanentError, SvkError } from '../../core/errors.ts';
import { type KubeconfigOptions, kubeconfigOf } from '../cluster/open-operator-client.ts';
import type { CommandContext } from '../commands/command-context.ts';
import type { AccountReads } from './account-reads.ts';
import { MissingFact } from './check.ts';
import { heartbeatOf, readEnvironment } from './checks/deployment.ts';
import type { World } from './world.ts';

export interface WorldOptions extends KubeconfigOptions, Pick<World, 'deployment' | 'region' | 'grants' | 'pod'> {}

/** The world of one run. `close` ends its connections. */
export const openWorld = (
  { deployment, region, grants, pod, ...kubeconfig }: WorldOptions,
  account: AccountReads,
  {
    clock,
    environment,
    signal,
  }: { readonly clock: Clock; readonly signal: AbortSignal } & Pick<CommandContext, 'environment'>,
): World & { close(): void } => {
  const clients: KubernetesClient[] = [];
  let ahead: number | undefined;
  const around = async (_request: unknown, send: () => Promise<IncomingMessage>): Promise<IncomingMessage> => {
    const answer = await send();
    const at = Date.parse(answer.headers.date ?? '');
    if (!Number.isNaN(at)) ahead = at - clock.now();
    return answer;
  };
  const opened = (client: KubernetesClient): KubernetesClient => {
    clients.push(client);
    return client;
  };
  const credentials = once('credentials', async (): Promise<KubernetesCredentials> => {
    const name = parameterNames(deployment).credentials;
    const text = await account.parameter(name, signal);
    if (text === undefined) throw new PermanentError(`SSM parameter ${name} is not there: nothing is stored`);
    return parseCredentials(text, `SSM parameter ${name}`);
  });
  return {
    deployment,
    region,
    grants,
    pod,
    account,
    now: () => clock.now(),
    clusterAheadMs: () => ahead,
    credentials,
    stack: once('deployment', async () => {
      const variables = await account.functionEnvironment(heartbeatOf(deployment), signal);
      if (variables === undefined) throw new PermanentError('there is no such function');
      return readEnvironment(variables, region);
    }),
    operator: once('cluster', async () => {
      const file = kubeconfigOf(kubeconfig, { environment });
      const { context } = kubeconfig;
      const connection = await openConnection(file, { clock, environment, ...(context !== undefined && { context }) });
      const { tokens } = connection;
      const client = opened(new KubernetesClient(connection.credentials, { clock, around, ...(tokens && { tokens }) }));
      await client.get('/version', { signal });
      return client;
    }),
    functions: once('credentials', async () => {
      const stored = await credentials();
      return stored.eks ? undefined : opened(new KubernetesClient(stored, { clock }));
    }),
    close: () => {
      for (const client of clients) client.close();
    },
  };
};

/** Opened once, however often it is asked for; where that fails, every caller learns which check tells why. */
const once = <T>(check: string, open: () => Promise<T>): (() => Promise<T>) => {
  let opening: Promise<T> | undefined;
  return () => {
    opening ??= open().catch((cause: unknown) => {
      if (!(cause instanceof SvkError)) throw cause;
      throw new MissingFact(check, { cause });
    });
    return opening;
  };
};
