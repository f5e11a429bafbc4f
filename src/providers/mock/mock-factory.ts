import { faultsText } from '../../config/faults.ts';
import { PermanentError } from '../../core/errors.ts';
import type { CreatedProvider, ProviderDeps, ProviderFactory } from '../../ports/provider-factory.ts';
import { DEFAULT_NODE, parseMockConfig } from './mock-config.ts';
import { MockProvider } from './mock-provider.ts';

/**
 * `--provider mock`: virtual-kubelet's mock, whose pods run at once and nowhere. A node its configuration does not name
 * has the defaults (virtual-kubelet fails there: "invalid CPU").
 */
export const mockFactory: ProviderFactory = {
  name: 'mock',
  create: async (config: unknown, { node, clock, random }: ProviderDeps): Promise<CreatedProvider> => {
    const parsed = parseMockConfig(config);
    if (!parsed.ok) throw new PermanentError(faultsText('the configuration of provider mock', parsed.faults));
    const { cpu, memory, pods, others, providerID } = Object.hasOwn(parsed.nodes, node)
      ? (parsed.nodes[node] ?? DEFAULT_NODE)
      : DEFAULT_NODE;
    return {
      provider: new MockProvider({ clock, random }),
      node: {
        capacity: { cpu, memory, pods, ...others },
        architecture: 'amd64',
        ...(providerID !== undefined && { providerID }),
        labels: { 'alpha.service-controller.kubernetes.io/exclude-balancer': 'true' },
      },
    };
  },
};
