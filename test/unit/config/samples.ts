import type { ProviderSettings, Providers } from '../../../src/config/settings.ts';

/** A provider whose part is the key `cages`, a list of texts. */
const zoo: ProviderSettings<{ readonly cages: readonly string[] }> = {
  keys: ['cages'],
  parse: (input) => {
    const cages = (input as { cages?: unknown }).cages;
    return Array.isArray(cages) && cages.length > 0
      ? { ok: true, settings: { cages: cages.map(String) } }
      : { ok: false, faults: [{ field: 'cages', message: 'needs at least one cage' }] };
  },
};

export const providers: Providers<{ readonly cages: readonly string[] }> = { zoo, 'other-zoo': zoo };

export const valid = {
  deployment: 'dev',
  provider: 'zoo',
  nodes: [{ name: 'fargate', capacity: { cpu: '20', memory: '80Gi', pods: '50' } }],
  cages: ['north'],
};
