import type { ContainerStatus, Pod, PodCondition } from '../../../model/kubernetes.ts';
import { kubernetesTime } from '../text.ts';
import { isOwnConfigIssue } from './config-issue.ts';
import type { Phase } from './phase.ts';

/** What the conditions are made from. */
export interface ConditionFacts {
  readonly pod: Pod;
  readonly phase: Phase;
  readonly containers: readonly ContainerStatus[];
  readonly initContainers: readonly ContainerStatus[];
  /** True while the pod has a sandbox with an address. */
  readonly hasSandbox: boolean;
  /** Why the provider took the pod's workload away, where that ends the pod. */
  readonly disruption: string | undefined;
  /** What only the pod's author can mend. */
  readonly configIssue: { readonly reason: string; readonly message: string } | undefined;
  readonly now: number;
}

type Verdict = Pick<PodCondition, 'status'> & { readonly reason?: string; readonly message?: string };

/**
 * The conditions kubelet owns, with its reasons and messages (pkg/kubelet/status/generate.go). PodScheduled is the
 * scheduler's: kubelet adds it only to a pod that was created with its node (pkg/kubelet/kubelet_pods.go). A transition
 * time stays for as long as the status does.
 */
export const conditionsOf = (facts: ConditionFacts): PodCondition[] => {
  const containersReady = containersReadyOf(facts);
  const isScheduled = facts.pod.status?.conditions?.some(({ type }) => type === 'PodScheduled');
  const verdicts: readonly (readonly [string, Verdict])[] = [
    ...(isScheduled ? [] : [['PodScheduled', { status: 'True' }] as const]),
    ['PodReadyToStartContainers', { status: facts.hasSandbox ? 'True' : 'False' }],
    ['Initialized', initializedOf(facts)],
    ['ContainersReady', containersReady],
    ['Ready', readyOf(facts, containersReady)],
    ...(facts.disruption === undefined
      ? []
      : [['DisruptionTarget', { status: 'True', reason: 'TerminationByKubelet', message: facts.disruption }] as const]),
    ...configIssue(facts),
  ];
  return verdicts.map(([type, verdict]) => withTimes(facts, type, verdict));
};

/** What Job failure policies ask for by this name (Kubernetes' own example); taken back where it is ours and was mended. */
const configIssue = ({ pod, configIssue: issue }: ConditionFacts): readonly (readonly [string, Verdict])[] => {
  const held = pod.status?.conditions?.find(({ type }) => type === 'ConfigIssue');
  if (held && !isOwnConfigIssue(held)) return [];
  if (issue) return [['ConfigIssue', { status: 'True', reason: issue.reason, message: issue.message }]];
  return held ? [['ConfigIssue', { status: 'False', ...(held.reason && { reason: held.reason }) }]] : [];
};

const withTimes = ({ pod, now }: ConditionFacts, type: string, verdict: Verdict): PodCondition => {
  const held = pod.status?.conditions?.find((condition) => condition.type === type);
  const kept = held?.status === verdict.status ? held.lastTransitionTime : undefined;
  return { type, ...verdict, lastTransitionTime: kept ?? kubernetesTime(now) };
};

const terminalReason = (phase: Phase): string | undefined =>
  phase === 'Succeeded' ? 'PodCompleted' : phase === 'Failed' ? 'PodFailed' : undefined;

const containersReadyOf = ({ phase, containers }: ConditionFacts): Verdict => {
  const reason = terminalReason(phase);
  if (reason) return { status: 'False', reason };
  const unready = containers.filter(({ ready }) => !ready).map(({ name }) => name);
  return unready.length === 0
    ? { status: 'True' }
    : {
        status: 'False',
        reason: 'ContainersNotReady',
        message: `containers with unready status: [${unready.join(' ')}]`,
      };
};

const readyOf = ({ pod, phase }: ConditionFacts, containersReady: Verdict): Verdict => {
  if (terminalReason(phase) || containersReady.status !== 'True') return containersReady;
  const open = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = pod.status?.conditions?.find(({ type }) => type === conditionType);
    if (!condition)
      return `corresponding condition of pod readiness gate ${JSON.stringify(conditionType)} does not exist.`;
    return condition.status === 'True'
      ? []
      : `the status of pod readiness gate ${JSON.stringify(conditionType)} is not "True", but ${condition.status}`;
  });
  return open.length === 0
    ? { status: 'True' }
    : { status: 'False', reason: 'ReadinessGatesNotReady', message: open.join(', ') };
};

const initializedOf = ({ phase, containers, initContainers }: ConditionFacts): Verdict => {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  const started = containers.some(({ state }) => state?.running ?? state?.terminated);
  const open = initContainers.filter(({ state }) => state?.terminated?.exitCode !== 0).map(({ name }) => name);
  return started || open.length === 0
    ? { status: 'True' }
    : {
        status: 'False',
        reason: 'ContainersNotInitialized',
        message: `containers with incomplete status: [${open.join(' ')}]`,
      };
};
