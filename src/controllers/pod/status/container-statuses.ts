import type { Attempt } from '../../../model/attempt.ts';
import { containerCheck } from '../../../model/container-check.ts';
import type { Container, ContainerState, ContainerStatus, Pod } from '../../../model/kubernetes.ts';
import type { PodState } from '../../../model/pod-row.ts';
import type { Workload, WorkloadContainer } from '../../../model/workload.ts';
import { currentAttempt, launchedAttempt } from '../attempts.ts';
import { isRestartedForProbe } from '../plan/restart.ts';
import { kubernetesTime } from '../text.ts';
import { hasRun, isOver } from '../workloads.ts';
import { terminatedState, unknownEnd } from './terminated.ts';
import { waitingState } from './waiting.ts';

/** What the status of one container is made from. */
interface ContainerFacts {
  readonly pod: Pod;
  readonly spec: Container;
  readonly state: PodState;
  readonly now: number;
  readonly server: ContainerStatus | undefined;
  /** The attempt that is there now; undefined while the next one waits for its launch. */
  readonly run: Attempt | undefined;
  /** The attempt that ran before. */
  readonly before: Attempt | undefined;
  readonly current: WorkloadContainer | undefined;
}

/** `status.containerStatuses` (or `initContainerStatuses`) in the order of the spec. */
export const containerStatuses = (
  pod: Pod,
  state: PodState,
  now: number,
  list: 'containers' | 'initContainers' = 'containers',
): ContainerStatus[] => {
  const attempt = currentAttempt(state);
  const run = attempt?.workloadId === undefined ? undefined : attempt;
  const before = run ? state.attempts.findLast(({ attempt: number }) => number < run.attempt) : launchedAttempt(state);
  const held = list === 'containers' ? pod.status?.containerStatuses : pod.status?.initContainerStatuses;
  return (pod.spec?.[list] ?? []).map((spec) =>
    containerStatus({
      pod,
      spec,
      state,
      now,
      run,
      before,
      server: held?.find(({ name }) => name === spec.name),
      current: run?.observed?.containers.find(({ name }) => name === spec.name),
    }),
  );
};

const containerStatus = (facts: ContainerFacts): ContainerStatus => {
  const { spec, state, server, current, run } = facts;
  const shown = stateOf(facts);
  const started = shown.running !== undefined && hasStarted(spec, current, run);
  return {
    name: spec.name,
    state: shown,
    lastState: lastStateOf(facts),
    ready: started && run?.observed?.stopping !== true && isPassing(spec, current),
    restartCount: Math.max(state.restarts[spec.name] ?? 0, server?.restartCount ?? 0),
    // A changed image does not reach a task that runs.
    image: run?.images?.[spec.name] ?? spec.image ?? '',
    imageID: imageIdOf(spec, current) ?? server?.imageID ?? '',
    ...containerIdOf(facts, shown),
    started,
  };
};

const stateOf = (facts: ContainerFacts): ContainerState => {
  const { run, current, server, now, state } = facts;
  const lost = run?.lostAt !== undefined || state.failure?.reason === 'TaskLost';
  if (lost && current?.state !== 'terminated') {
    return server?.state?.terminated
      ? { terminated: server.state.terminated }
      : { terminated: unknownEnd(server, now) };
  }
  const workload = run?.observed;
  if (!workload || !current) return waiting(facts);
  switch (current.state) {
    case 'running':
      return { running: { startedAt: startOf(workload, server, now) } };
    case 'waiting':
      return isOver(run) && isEnding(facts) ? { terminated: unknownEnd(undefined, now) } : waiting(facts);
    case 'terminated':
      return endedState(facts, workload, current);
    default:
      current.state satisfies never;
      return waiting(facts);
  }
};

const endedState = (facts: ContainerFacts, workload: Workload, current: WorkloadContainer): ContainerState => {
  const { server, now, run } = facts;
  const known = current.exitCode !== undefined || workload.phase === 'stopped' || run?.lostAt !== undefined;
  // Until the exit code follows, or the next run, nobody may take the container for a failed or a finished one.
  if (!known || isBetweenRuns(facts, current))
    return server?.state?.running ? { running: server.state.running } : waiting(facts);
  if (hasRun(workload, current) || isEnding(facts)) {
    return { terminated: terminatedState({ workload, logTails: run?.logTails }, current, server, now) };
  }
  return waiting(facts);
};

/**
 * What was ended for a failed probe and exited without a fault is restarted all the same. API servers let nothing that has
 * succeeded run again, so that it is never said to have: a kubelet goes from one run to the next at once.
 */
const isBetweenRuns = (facts: ContainerFacts, { exitCode }: WorkloadContainer): boolean =>
  exitCode === 0 && !isEnding(facts) && isRestartedForProbe(facts.pod, facts.run);

/** True where the pod will not be started again: what never ran must still get an end. */
const isEnding = ({ pod, state }: ContainerFacts): boolean =>
  pod.metadata?.deletionTimestamp !== undefined || state.failure !== undefined;

const waiting = ({ pod, spec, state, run, now }: ContainerFacts): ContainerState => ({
  waiting: waitingState(pod, spec, state, run?.observed, now),
});

const lastStateOf = ({ before, spec, server, now, run }: ContainerFacts): ContainerState => {
  const ended = before?.observed?.containers.find(({ name }) => name === spec.name);
  if (before?.observed && ended && hasRun(before.observed, ended)) {
    const { observed: workload, logTails } = before;
    return { terminated: terminatedState({ workload, logTails }, ended, server, now) };
  }
  const isNextRun = run !== undefined && server?.containerID !== undefined && !hasContainer(run, server.containerID);
  if (isNextRun && server.state?.terminated) return { terminated: server.state.terminated };
  return server?.lastState ?? {};
};

const hasContainer = ({ observed }: Attempt, id: string): boolean =>
  observed?.containers.some(({ containerId }) => containerId === undefined || containerId === id) ?? true;

const startOf = ({ startedAt }: Workload, server: ContainerStatus | undefined, now: number): string =>
  startedAt === undefined ? (server?.state?.running?.startedAt ?? kubernetesTime(now)) : kubernetesTime(startedAt);

/**
 * A container is ready as soon as it has started, unless a readiness probe says otherwise. ECS calls the health of one
 * without a check unknown, as it does of one whose check has not said anything yet: the spec tells them apart. A provider
 * that says nothing of health has no checks.
 */
const isPassing = (spec: Container, container: WorkloadContainer | undefined): boolean => {
  const check = containerCheck(spec);
  if (container?.health === undefined || container.health === 'healthy') return true;
  if (check) return !check.serves.includes('readinessProbe');
  return container.health === 'unknown' && spec.readinessProbe === undefined;
};

/** Once passed, a startup probe is never asked again. */
const hasStarted = (spec: Container, container: WorkloadContainer | undefined, run: Attempt | undefined): boolean =>
  spec.startupProbe === undefined ||
  container?.health === undefined ||
  run?.passed?.includes(spec.name) === true ||
  containerCheck(spec)?.ignores.includes('startupProbe') === true;

const imageIdOf = ({ image }: Container, current: WorkloadContainer | undefined): string | undefined =>
  current?.imageDigest && `${(image ?? '').replace(/@.*$/, '').replace(/:[^/:]*$/, '')}@${current.imageDigest}`;

const containerIdOf = (
  { current, server }: ContainerFacts,
  { waiting: isWaiting }: ContainerState,
): { readonly containerID?: string } => {
  const id = isWaiting ? server?.containerID : (current?.containerId ?? server?.containerID);
  return id ? { containerID: id } : {};
};
