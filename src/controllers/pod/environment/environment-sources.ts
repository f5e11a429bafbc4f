import type { Allocatable } from '../../../model/environment.ts';
import type { ConfigMap, Container, Pod, Secret, Service } from '../../../model/kubernetes.ts';

/** Names of what a pod's environment refers to, all in the pod's namespace, sorted. */
export interface NeededSources {
  readonly configMaps: readonly string[];
  readonly secrets: readonly string[];
  /** True unless `enableServiceLinks` is false. Service `kubernetes` of namespace `default` is needed by every pod. */
  readonly services: boolean;
}

/** What became of one read. `unreadable` is for good (no permission); passing faults fail the whole reconcile instead. */
export type Fetched<T> =
  | { readonly kind: 'found'; readonly object: T }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'unreadable'; readonly message: string };

/** Everything the environment is made of. */
export interface EnvironmentSources {
  /** Name of the node the pod is bound to. */
  readonly node: string;
  /** By name; a name that is not there counts as not found. */
  readonly configMaps: Readonly<Record<string, Fetched<ConfigMap>>>;
  readonly secrets: Readonly<Record<string, Fetched<Secret>>>;
  /** Services of the pod's namespace (where it wants them) and `kubernetes` of namespace `default`. */
  readonly services: readonly Service[];
  /** What a resource without a limit counts as: the provider's `allocatable(pod)`. */
  readonly allocatable?: Allocatable;
  /**
   * True lets `envFrom` make any variable name of printable ASCII without `=`, as API servers do from 1.34 on; else the
   * older rule holds (letters, digits, `-`, `_`, `.`, no digit first) and other names are skipped with an event.
   */
  readonly relaxedVariableNames?: boolean;
}

/** Init containers first, as kubelet starts them. */
export const containersOf = (pod: Pod): readonly Container[] => [
  ...(pod.spec?.initContainers ?? []),
  ...(pod.spec?.containers ?? []),
];

/** What must be read before {@link resolveEnvironment} can work. */
export const sourcesOf = (pod: Pod): NeededSources => {
  const containers = containersOf(pod);
  const variables = containers.flatMap(({ env }) => env ?? []);
  const bulks = containers.flatMap(({ envFrom }) => envFrom ?? []);
  return {
    configMaps: distinct([
      ...variables.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
      ...bulks.map(({ configMapRef }) => configMapRef?.name),
    ]),
    secrets: distinct([
      ...variables.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
      ...bulks.map(({ secretRef }) => secretRef?.name),
    ]),
    services: pod.spec?.enableServiceLinks !== false,
  };
};

const distinct = (names: readonly (string | undefined)[]): string[] =>
  [...new Set(names.flatMap((name) => (name ? [name] : [])))].sort();
