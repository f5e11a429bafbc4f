import type { Pod, PodStatus } from '../../../model/kubernetes.ts';
import type { PodState } from '../../../model/pod-row.ts';
import type { Workload } from '../../../model/workload.ts';
import { currentAttempt, launchedAttempt, mayRun } from '../attempts.ts';
import { kubernetesTime } from '../text.ts';
import { isDown, isPullError } from '../workloads.ts';
import { conditionsOf } from './conditions.ts';
import { configIssueOf } from './config-issue.ts';
import { containerStatuses } from './container-statuses.ts';
import { disruptionOf } from './disruption.ts';
import { type Phase, phaseOf } from './phase.ts';
import { refusalText } from './waiting.ts';

/**
 * The part of a pod's status that is ours, as it ought to be. `reason` and `message` are there even where they must be
 * empty, so that what we once said can be taken back. Everything else in the server's status belongs to others.
 */
export interface OwnStatus {
  readonly phase: Phase;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly conditions: NonNullable<PodStatus['conditions']>;
  readonly containerStatuses: NonNullable<PodStatus['containerStatuses']>;
  readonly initContainerStatuses?: NonNullable<PodStatus['initContainerStatuses']>;
  /** The newest known addresses; undefined while none was ever known. */
  readonly ips: readonly string[] | undefined;
  readonly startTime: string | undefined;
  readonly observedGeneration?: number;
}

/** Pure. `now` is only used for transitions nobody has timed. */
export const podStatus = (pod: Pod, state: PodState, now: number): OwnStatus => {
  const containers = containerStatuses(pod, state, now);
  const initContainers = containerStatuses(pod, state, now, 'initContainers');
  const phase = phaseNow(pod, state, containers, initContainers);
  const workload = currentAttempt(state)?.observed;
  const { reason, message } = explanationOf(state, phase);
  const generation = generationOf(pod);
  return {
    phase,
    reason,
    message,
    conditions: conditionsOf({
      pod,
      phase,
      containers,
      initContainers,
      hasSandbox: workload !== undefined && workload.ips.length > 0 && !isDown(workload),
      disruption: disruptionOf(pod, state),
      configIssue: configIssueOf(state),
      now,
    }).map((condition) => (generation === undefined ? condition : { ...condition, observedGeneration: generation })),
    containerStatuses: containers,
    ...(initContainers.length > 0 && { initContainerStatuses: initContainers }),
    ips: ipsOf(workload, launchedAttempt(state)?.observed),
    startTime: pod.status?.startTime ?? startTimeOf(state),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
};

const phaseNow = (
  pod: Pod,
  state: PodState,
  containers: OwnStatus['containerStatuses'],
  initContainers: OwnStatus['containerStatuses'],
): Phase => {
  if (state.refusal && state.failure === undefined && !mayRun(state)) return heldPhase(pod) ?? 'Pending';
  const ends = state.failure !== undefined || pod.metadata?.deletionTimestamp !== undefined;
  const terminal = ends && areContainersDown(state);
  if (terminal && state.failure) return 'Failed';
  const phase = phaseOf(pod, { containers, initContainers }, terminal);
  // While something may still run no verdict is out. And no phase ever goes back.
  const isOpen = (phase === 'Succeeded' || phase === 'Failed') && !areContainersDown(state);
  const now = isOpen ? (heldPhase(pod) ?? 'Running') : phase;
  return now === 'Pending' && heldPhase(pod) === 'Running' ? 'Running' : now;
};

/** True where nothing of the pod runs; its workloads may still be on their way out. */
export const areContainersDown = (state: PodState): boolean =>
  !mayRun({
    ...state,
    attempts: state.attempts.filter(({ observed }) => observed === undefined || !isDown(observed)),
  });

const heldPhase = ({ status }: Pod): Phase | undefined =>
  status?.phase === 'Running' || status?.phase === 'Pending' ? status.phase : undefined;

/** `status.reason` and `status.message`. */
const explanationOf = (state: PodState, phase: Phase): { reason: string | undefined; message: string | undefined } => {
  if (state.failure) return phase === 'Failed' ? state.failure : { reason: undefined, message: undefined };
  if (state.refusal) return refusalText(state.refusal);
  const { backOff } = state;
  const isLaunched = currentAttempt(state)?.workloadId !== undefined;
  const speaks = backOff !== undefined && phase === 'Pending' && !isPullError(backOff.reason) && !isLaunched;
  return speaks ? backOff : { reason: undefined, message: undefined };
};

const ipsOf = (...workloads: readonly (Workload | undefined)[]): readonly string[] | undefined =>
  workloads.find((workload) => workload !== undefined && workload.ips.length > 0)?.ips;

/** Set once something was launched, never before: a pod with a start time was started, whatever our rows say. */
const startTimeOf = (state: PodState): string | undefined => {
  const first = state.attempts.find(({ launchedAt }) => launchedAt !== undefined)?.launchedAt;
  return first === undefined ? undefined : kubernetesTime(first);
};

/** Servers that track generations show it in what the scheduler and others have written; older ones would drop it. */
const generationOf = ({ metadata, status }: Pod): number | undefined => {
  const tracks =
    status?.observedGeneration !== undefined ||
    status?.conditions?.some(({ observedGeneration }) => observedGeneration !== undefined);
  return tracks ? metadata?.generation : undefined;
};
