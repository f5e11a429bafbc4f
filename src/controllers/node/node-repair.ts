import * as z from 'zod/mini';
import type { Node, Taint } from '../../model/kubernetes.ts';
import { type DesiredNode, taintId } from './desired-node.ts';
import { MANAGED_ANNOTATION, OUT_OF_CAPACITY } from './node-definition.ts';

const managed = z.object({ labels: z.array(z.string()), taints: z.array(z.string()) });

/**
 * The strategic merge patch that makes what is ours on `node` as desired, or undefined where it is. Labels, annotations
 * and taints of others stay. It names the resourceVersion, because taints are replaced as a whole list. Pure.
 */
export const planNodeRepair = (
  node: Node,
  desired: DesiredNode,
  { outOfCapacity }: { readonly outOfCapacity: boolean },
): NodeRepair | undefined => {
  const { labels = {}, annotations = {}, resourceVersion = '' } = node.metadata ?? {};
  const before = parseManaged(annotations[MANAGED_ANNOTATION]);
  const labelChanges = changes(labels, desired.labels, before.labels);
  const annotationChanges = changes(annotations, desired.annotations, []);
  const taints = repairedTaints(node.spec?.taints ?? [], desired.taints, before.taints, outOfCapacity);
  const spec = {
    ...(taints && { taints }),
    // It can be set once and never changed.
    ...(!node.spec?.providerID && { providerID: desired.providerID }),
  };
  if (![labelChanges, annotationChanges, spec].some((part) => Object.keys(part).length > 0)) return undefined;
  return { metadata: { resourceVersion, labels: labelChanges, annotations: annotationChanges }, spec };
};

export interface NodeRepair {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly labels: Readonly<Record<string, string | null>>;
    readonly annotations: Readonly<Record<string, string | null>>;
  };
  readonly spec: { readonly taints?: readonly Taint[]; readonly providerID?: string };
}

const parseManaged = (text: string | undefined): { labels: readonly string[]; taints: readonly string[] } => {
  try {
    return managed.parse(JSON.parse(text ?? ''));
  } catch {
    // Somebody edited it: nothing is removed then, and the annotation is written anew.
    return { labels: [], taints: [] };
  }
};

const changes = (
  actual: Readonly<Record<string, string>>,
  desired: Readonly<Record<string, string>>,
  once: readonly string[],
): Record<string, string | null> => {
  const wrong = Object.entries(desired).filter(([key, value]) => actual[key] !== value);
  const dropped = once.filter((key) => desired[key] === undefined && actual[key] !== undefined);
  return Object.fromEntries([...wrong, ...dropped.map((key) => [key, null] as const)]);
};

const repairedTaints = (
  actual: readonly Taint[],
  desired: readonly Taint[],
  once: readonly string[],
  outOfCapacity: boolean,
): readonly Taint[] | undefined => {
  const wanted = outOfCapacity ? [...desired, OUT_OF_CAPACITY] : desired;
  const ours = new Set([...wanted.map(taintId), ...once, taintId(OUT_OF_CAPACITY)]);
  const foreign = actual.filter((taint) => !ours.has(taintId(taint)));
  const kept = actual.filter((taint) => ours.has(taintId(taint)));
  const same =
    kept.length === wanted.length &&
    wanted.every((taint) => kept.some((other) => taintId(other) === taintId(taint) && sameValue(other, taint)));
  return same ? undefined : [...foreign, ...wanted];
};

const sameValue = (a: Taint, b: Taint): boolean => (a.value ?? '') === (b.value ?? '');
