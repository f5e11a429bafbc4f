import type { VcpuQuotas } from '../../../adapters/service-quotas/fargate-quotas.ts';
import { parseQuantity } from '../../../core/quantity.ts';
import type { Check } from '../check.ts';
import { type Finding, pass, warn } from '../finding.ts';

/** A node as far as its vCPUs are concerned. */
export interface NodeCpu {
  readonly name: string;
  /** A quantity. */
  readonly cpu: string;
  readonly isSpot: boolean;
}

/** Whether the nodes offer more vCPUs than the account may use. */
export const vcpuCheck: Check = {
  name: 'vcpu',
  run: async (world, signal) => {
    const { nodes, providerSettings } = (await world.stack()).settings;
    const cpus = nodes.map(({ name, capacity }) => {
      const profile = providerSettings.profiles[providerSettings.nodes[name]?.profile ?? ''];
      return { name, cpu: capacity['cpu'] ?? '0', isSpot: profile?.capacityProvider === 'FARGATE_SPOT' };
    });
    return judgeVcpus(cpus, await world.account.vcpuQuotas(signal));
  },
};

/** The quotas hold for the whole account and region, whoever uses them. */
export const judgeVcpus = (nodes: readonly NodeCpu[], { onDemand, spot }: VcpuQuotas): readonly Finding[] =>
  (
    [
      ['on demand', 'L-3032A538', onDemand, nodes.filter(({ isSpot }) => !isSpot)],
      ['Spot', 'L-36FBB829', spot, nodes.filter(({ isSpot }) => isSpot)],
    ] as const
  ).flatMap(([kind, code, quota, members]) => {
    if (members.length === 0) return [];
    const offered = members.reduce((sum, { cpu }) => sum + Number(parseQuantity(cpu).nano) / 1e9, 0);
    const names = members.map(({ name }) => name).join(', ');
    return offered <= quota
      ? [pass(`${names}: ${offered} vCPU of the ${quota} the account may use (${kind})`)]
      : [
          warn(
            `${names}: ${offered} vCPU are offered, and the account may use ${quota} (${kind}): pods beyond stay Pending`,
            `ask for more (Service Quotas, Fargate, ${code}), or lower capacity.cpu in the settings`,
          ),
        ];
  });
