import { homedir } from 'node:os';
import path from 'node:path';
import { openConnection } from '../../adapters/kubernetes/connection.ts';
import { KubernetesClient } from '../../adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../adapters/system/system-clock.ts';
import type { CommandContext } from '../commands/command-context.ts';

export interface KubeconfigOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** KUBECONFIG, or ~/.kube/config, where no file is named. */
export const kubeconfigOf = (
  { kubeconfig }: KubeconfigOptions,
  { environment }: Pick<CommandContext, 'environment'>,
): string => kubeconfig ?? environment['KUBECONFIG'] ?? path.join(homedir(), '.kube', 'config');

/** The cluster with the operator's own rights, exec plugins included. To be closed. @throws {PermanentError} */
export const openOperatorClient = async (
  options: KubeconfigOptions,
  context: CommandContext,
): Promise<KubernetesClient> => {
  const clock = new SystemClock();
  const { credentials, tokens } = await openConnection(kubeconfigOf(options, context), {
    clock,
    environment: context.environment,
    ...(options.context !== undefined && { context: options.context }),
  });
  return new KubernetesClient(credentials, { clock, ...(tokens && { tokens }) });
};
