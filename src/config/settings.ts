import { PermanentError } from '../core/errors.ts';
import type { Taint } from '../model/kubernetes.ts';
import type { Problem } from '../model/problem.ts';
import { faultsOf, faultsText } from './faults.ts';
import { duplicateNodes, unfilledVariables } from './settings-rules.ts';
import { commonSettings } from './settings-schema.ts';

/** What a deployment is: the settings file, or its JSON in a function's environment. `P` is the provider's own part. */
export interface Settings<P> {
  /** Names everything the deployment makes: a lower-case letter, then letters, digits, hyphens; 20 characters at most. */
  readonly deployment: string;
  /** Registered name of the provider, as `fargate`. */
  readonly provider: string;
  /** One virtual node each; at least one. */
  readonly nodes: readonly NodeSettings[];
  /** Image of our helper containers; undefined: the default one. */
  readonly helperImage?: string;
  readonly providerSettings: P;
}

export interface NodeSettings {
  /** Name of the Node object. */
  readonly name: string;
  /** Quantities as Kubernetes writes them: `cpu`, `memory`, `pods`, and `ephemeral-storage` where it is given. */
  readonly capacity: Readonly<Record<string, string>>;
  /** Besides the standard ones; none by default. */
  readonly labels: Readonly<Record<string, string>>;
  /** Instead of the standard one; undefined: the standard one. */
  readonly taints?: readonly Taint[];
  /** What images run here; `amd64` by default. */
  readonly architecture: 'amd64' | 'arm64';
  /** How the provider places pods of this node; the provider says whether it must be there. */
  readonly profile?: string;
}

/** A provider's part of the settings: which top-level keys are its own, and how it reads them. */
export interface ProviderSettings<P> {
  readonly keys: readonly string[];
  /** Sees the whole settings and reports every fault of its part. */
  parse(
    input: unknown,
  ): { readonly ok: true; readonly settings: P } | { readonly ok: false; readonly faults: readonly Problem[] };
}

/** By registered name. */
export type Providers<P> = Readonly<Record<string, ProviderSettings<P>>>;

export type ParsedSettings<P> =
  | { readonly ok: true; readonly settings: Settings<P> }
  | { readonly ok: false; readonly faults: readonly Problem[] };

/**
 * Reads settings given as JSON text or as what a YAML reader made of the file.
 * @param source how the message names them: a file name, or an environment variable.
 * @throws {PermanentError} whose message lists every fault with its path and the fix.
 */
export const parseSettings = <P>(input: unknown, providers: Providers<P>, source = 'settings'): Settings<P> => {
  const parsed = readSettings(input, providers);
  if (!parsed.ok) throw new PermanentError(faultsText(source, parsed.faults));
  return parsed.settings;
};

/** As {@link parseSettings}, with the faults as data. */
export const readSettings = <P>(input: unknown, providers: Providers<P>): ParsedSettings<P> => {
  const json = typeof input === 'string' ? parseJson(input) : { ok: true as const, value: input };
  if (!json.ok) return { ok: false, faults: [{ field: 'the settings', message: 'must be JSON: write them anew' }] };
  const provider = providerOf(json.value, providers);
  const common = commonSettings(Object.keys(providers), provider?.keys ?? []).safeParse(json.value);
  const own = provider?.parse(json.value);
  const faults = firstOfEachField([
    ...unfilledVariables(json.value),
    ...(common.success ? [] : faultsOf(common.error.issues)),
    ...duplicateNodes(json.value),
    ...(own && !own.ok ? own.faults : []),
  ]);
  if (faults.length > 0 || !common.success || !own?.ok) return { ok: false, faults };
  const { deployment, provider: name, nodes, helperImage } = common.data;
  return {
    ok: true,
    settings: {
      deployment,
      provider: name,
      nodes: nodes.map(({ name, capacity, labels, taints, architecture, profile }) => ({
        name,
        capacity,
        labels,
        architecture,
        ...(taints && { taints }),
        ...(profile !== undefined && { profile }),
      })),
      ...(helperImage !== undefined && { helperImage }),
      providerSettings: own.settings,
    },
  };
};

const parseJson = (text: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false } => {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    return { ok: false };
  }
};

const providerOf = <P>(input: unknown, providers: Providers<P>): ProviderSettings<P> | undefined => {
  const name = typeof input === 'object' && input !== null && 'provider' in input ? input.provider : undefined;
  return typeof name === 'string' && Object.hasOwn(providers, name) ? providers[name] : undefined;
};

// The common part and the provider's look at the same nodes: what both report is told once.
const firstOfEachField = (faults: readonly Problem[]): readonly Problem[] => {
  const byField = new Map<string, Problem>();
  for (const fault of faults) if (!byField.has(fault.field)) byField.set(fault.field, fault);
  return [...byField.values()];
};
