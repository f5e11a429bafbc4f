/**
 * Where a variable's value comes from, which decides how a provider may deliver it:
 * - `template`: equal for all pods of one template (literals, configMap values, service variables).
 * - `identity`: derived from the pod's own name, uid, labels, node …
 * - `secret`: holds (also by expansion) a value of a Secret; never in definitions, overrides, events or logs.
 */
export type VariableOrigin = 'template' | 'identity' | 'secret';

/** One variable of a container, resolved and expanded, in kubelet's order; the last of equal names has won. */
export interface ResolvedVariable {
  readonly name: string;
  readonly value: string;
  readonly origin: VariableOrigin;
  /** For `secret`: the Secret and key that name it. An expansion of several names the first. */
  readonly secret?: { readonly name: string; readonly key: string };
  /** True for service variables other than those of `kubernetes`: the first to go where the environment is too large. */
  readonly serviceLink?: true;
}

/** What a container runs with after `$(VAR)` expansion. `command` and `args` are undefined where the pod leaves them out. */
export interface ResolvedContainer {
  readonly env: readonly ResolvedVariable[];
  readonly command?: readonly ResolvedArgument[];
  readonly args?: readonly ResolvedArgument[];
}

/** One word of a command line. `origin` is the most guarded one of what was expanded into it. */
export interface ResolvedArgument {
  readonly value: string;
  readonly origin: VariableOrigin;
  /** For `secret`: the variables whose expansion made it one. */
  readonly variables?: readonly string[];
}

/** By container name. */
export type ResolvedEnvironment = Readonly<Record<string, ResolvedContainer>>;

/** What one pod's sandbox offers, in Kubernetes' quantities: a limit that is not given counts as this much. */
export interface Allocatable {
  readonly cpu: string;
  readonly memory: string;
  readonly 'ephemeral-storage': string;
}
