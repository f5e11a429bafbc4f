import type { Node, Pod, Taint } from '../../../../src/model/kubernetes.ts';
import { nanoOf } from '../values/quantity.ts';

/** Why a node does not take a pod, in the scheduler's words. */
export interface Refusal {
  readonly reasons: readonly string[];
  /** Taking other pods away could not help. */
  readonly isFinal: boolean;
}

/** The scheduler's filters, in its order; the first that refuses speaks. Undefined: the pod fits. */
export const refusalOf = (pod: Pod, node: Node, others: readonly Pod[]): Refusal | undefined => {
  if (node.spec?.unschedulable && !tolerates(pod, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' })) {
    return { reasons: ['node(s) were unschedulable'], isFinal: true };
  }
  const taints = node.spec?.taints?.filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute') ?? [];
  if (taints.some((taint) => !tolerates(pod, taint))) {
    return { reasons: ['node(s) had untolerated taint(s)'], isFinal: true };
  }
  if (!matchesSelector(pod, node) || !matchesAffinity(pod, node)) {
    return { reasons: ["node(s) didn't match Pod's node affinity/selector"], isFinal: true };
  }
  return resourceRefusal(pod, node, others);
};

const tolerates = (pod: Pod, taint: Taint): boolean =>
  pod.spec?.tolerations?.some(
    ({ key, operator, value, effect }) =>
      (!effect || effect === taint.effect) &&
      (!key ? operator === 'Exists' : key === taint.key) &&
      (operator === 'Exists' || (value ?? '') === (taint.value ?? '')),
  ) ?? false;

const matchesSelector = (pod: Pod, node: Node): boolean =>
  Object.entries(pod.spec?.nodeSelector ?? {}).every(([key, value]) => node.metadata?.labels?.[key] === value);

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

const matchesAffinity = (pod: Pod, node: Node): boolean => {
  const wanted = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!wanted) return true;
  return wanted.nodeSelectorTerms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length === 0 && matchFields.length === 0) return false;
    return (
      matchExpressions.every((expression) => meets(node.metadata?.labels?.[expression.key], expression)) &&
      matchFields.every((field) => meets(field.key === 'metadata.name' ? node.metadata?.name : undefined, field))
    );
  });
};

const meets = (actual: string | undefined, { operator, values = [] }: Requirement): boolean => {
  switch (operator) {
    case 'In':
      return actual !== undefined && values.includes(actual);
    case 'NotIn':
      return actual === undefined || !values.includes(actual);
    case 'Exists':
      return actual !== undefined;
    case 'DoesNotExist':
      return actual === undefined;
    case 'Gt':
      return Number(actual) > Number(values[0]);
    case 'Lt':
      return Number(actual) < Number(values[0]);
    default:
      return false;
  }
};

type Amounts = ReadonlyMap<string, bigint>;

const resourceRefusal = (pod: Pod, node: Node, others: readonly Pod[]): Refusal | undefined => {
  const allocatable = node.status?.allocatable ?? {};
  const used = others.map(requestsOf);
  const reasons: string[] = [];
  let isFinal = false;
  if (BigInt(others.length + 1) * 1_000_000_000n > nanoOf(allocatable['pods'])) reasons.push('Too many pods');
  for (const [name, asked] of requestsOf(pod)) {
    if (asked === 0n) continue;
    const all = nanoOf(allocatable[name]);
    if (used.reduce((sum, amounts) => sum + (amounts.get(name) ?? 0n), asked) <= all) continue;
    reasons.push(`Insufficient ${name}`);
    isFinal ||= asked > all;
  }
  return reasons.length > 0 ? { reasons, isFinal } : undefined;
};

/** What a pod asks for: its app containers and sidecars together, or its largest init container. */
const requestsOf = (pod: Pod): Amounts => {
  const inits = pod.spec?.initContainers ?? [];
  const running = [...(pod.spec?.containers ?? []), ...inits.filter(({ restartPolicy }) => restartPolicy === 'Always')];
  const total = new Map<string, bigint>();
  for (const { resources } of running) {
    for (const [name, amount] of Object.entries(resources?.requests ?? {})) {
      total.set(name, (total.get(name) ?? 0n) + nanoOf(amount));
    }
  }
  for (const { resources } of inits) {
    for (const [name, amount] of Object.entries(resources?.requests ?? {})) {
      const asked = nanoOf(amount);
      if (asked > (total.get(name) ?? 0n)) total.set(name, asked);
    }
  }
  return total;
};

/** The message of FailedScheduling and of the PodScheduled condition. */
export const describeRefusals = (refusals: readonly Refusal[]): string => {
  if (refusals.length === 0) return 'no nodes available to schedule pods';
  const available = `0/${refusals.length} nodes are available`;
  const helpless = refusals.filter(({ isFinal }) => isFinal).length;
  const preemption = counted([
    ...Array<string>(helpless).fill('Preemption is not helpful for scheduling'),
    ...Array<string>(refusals.length - helpless).fill('No preemption victims found for incoming pod'),
  ]);
  const reasons = counted(refusals.flatMap((refusal) => refusal.reasons));
  return `${available}: ${reasons}. no new claims to deallocate, preemption: ${available}: ${preemption}.`;
};

const counted = (texts: readonly string[]): string =>
  [...new Set(texts)]
    .map((text) => `${texts.filter((other) => other === text).length} ${text}`)
    .sort()
    .join(', ');
