import type { NetworkFacts } from '../../adapters/ec2/network-facts.ts';
import type { ConcurrencyFacts } from '../../adapters/lambda/deployed-functions.ts';
import type { VcpuQuotas } from '../../adapters/service-quotas/fargate-quotas.ts';

/** What the checks ask of the AWS account. Every method rejects with an error of core/errors. */
export interface AccountReads {
  /** A parameter, decrypted; undefined where there is none. */
  parameter(name: string, signal: AbortSignal): Promise<string | undefined>;
  /** Environment of a function; undefined where there is no such function. */
  functionEnvironment(name: string, signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined>;
  concurrency(
    functions: { readonly heartbeat: string; readonly worker: string },
    signal: AbortSignal,
  ): Promise<ConcurrencyFacts>;
  /** How far AWS's clock is ahead of this machine's; undefined before it has answered. */
  aheadMs(): number | undefined;
  /** Fargate's vCPU quotas of the region. */
  vcpuQuotas(signal: AbortSignal): Promise<VcpuQuotas>;
  /** Subnets and security groups as far as they are there. */
  network(
    ids: { readonly subnets: readonly string[]; readonly securityGroups: readonly string[] },
    signal: AbortSignal,
  ): Promise<NetworkFacts>;
  /** `ACTIVE` where the cluster can run tasks; undefined where there is none. */
  ecsCluster(arn: string, signal: AbortSignal): Promise<string | undefined>;
  hasLogGroup(name: string, signal: AbortSignal): Promise<boolean>;
  /** Services that may take a role; undefined where there is no such role. */
  roleTrust(arn: string, signal: AbortSignal): Promise<readonly string[] | undefined>;
}
