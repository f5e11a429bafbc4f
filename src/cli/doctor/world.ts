import type { KubernetesCredentials } from '../../adapters/kubernetes/credentials.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/kubernetes-client.ts';
import type { Environment } from '../../config/environment.ts';
import type { FargateSettings } from '../../providers/fargate/settings.ts';
import type { AccountReads } from './account-reads.ts';

/** What the checks look at. Each part is opened when it is first asked for, and once. */
export interface World {
  readonly deployment: string;
  readonly region: string;
  /** Namespaces whose Secrets and tokens the deployment is to have. */
  readonly grants: readonly string[];
  /** `namespace/name` of the pod whose log is read; undefined: any. */
  readonly pod: string | undefined;
  /** Milliseconds since the epoch, on this machine. */
  now(): number;
  readonly account: AccountReads;
  /** What the functions find in their environment. @throws {MissingFact} where there are none. */
  stack(): Promise<Environment<FargateSettings>>;
  /** What is stored for the functions. @throws {MissingFact} where there is nothing, or nothing of use. */
  credentials(): Promise<KubernetesCredentials>;
  /** The cluster with the operator's own rights. @throws {MissingFact} where it does not answer. */
  operator(): Promise<KubernetesClient>;
  /** The cluster as the functions reach it; undefined where only they can sign (EKS). @throws {MissingFact} */
  functions(): Promise<KubernetesClient | undefined>;
  /** How far the API server's clock is ahead of this machine's; undefined before it has answered. */
  clusterAheadMs(): number | undefined;
}
