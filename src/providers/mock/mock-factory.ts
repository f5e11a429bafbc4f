import { faultsText } from '../../config/faults.ts';
import type { Clock } from '../../core/clock.ts';
import { PermanentError } from '../../core/errors.ts';
import type { CreatedProvider, ProviderDeps, ProviderFactory } from '../../ports/provider-factory.ts';
import { LocalMachine } from './local/local-machine.ts';
import { DEFAULT_NODE, parseMockConfig } from './mock-config.ts';
import { MockProvider } from './mock-provider.ts';

/**
 * `--provider mock`: virtual-kubelet's mock, whose pods run at once and nowhere. A node its configuration does not name
 * has the defaults (virtual-kubelet fails there: "invalid CPU").
 * With `runLocally` the commands of its pods, and those of exec, run as processes of this machine.
 */
export const mockFactory: ProviderFactory = {
  name: 'mock',
  create: async (
    config: unknown,
    { node, clock, random, logger, environment }: ProviderDeps,
  ): Promise<CreatedProvider> => {
    const parsed = parseMockConfig(config);
    if (!parsed.ok) throw new PermanentError(faultsText('the configuration of provider mock', parsed.faults));
    const { cpu, memory, pods, others, providerID, runLocally } = Object.hasOwn(parsed.nodes, node)
      ? (parsed.nodes[node] ?? DEFAULT_NODE)
      : DEFAULT_NODE;
    if (runLocally) {
      logger.warn('pods of this node run commands as processes of this machine, unconfined: runLocally is for tests', {
        node,
      });
    }
    return {
      provider: new MockProvider({ clock, random, ...(runLocally && { machine: machineOf(environment, clock) }) }),
      node: {
        capacity: { cpu, memory, pods, ...others },
        architecture: 'amd64',
        ...(providerID !== undefined && { providerID }),
        labels: { 'alpha.service-controller.kubernetes.io/exclude-balancer': 'true' },
      },
    };
  },
};

/** Nothing of our own environment but what a shell needs: it may hold secrets. */
const machineOf = ({ PATH = '/usr/bin:/bin', HOME = '/' }: ProviderDeps['environment'], clock: Clock): LocalMachine =>
  new LocalMachine({ clock, environment: { PATH, HOME, LANG: 'C.UTF-8' } });
