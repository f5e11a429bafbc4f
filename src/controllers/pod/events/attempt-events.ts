import type { Attempt } from '../../../model/attempt.ts';
import { containerCheck } from '../../../model/container-check.ts';
import type { Container, Pod } from '../../../model/kubernetes.ts';
import type { PodEvent } from '../../../model/pod-event.ts';
import type { PodState } from '../../../model/pod-row.ts';
import type { Workload, WorkloadContainer } from '../../../model/workload.ts';
import { pullDuration } from '../text.ts';
import { hasRun, isPullError, isStartError } from '../workloads.ts';

/** What kubelet records while a container is pulled, made, started and stopped, in its words. */
export const attemptEvents = (pod: Pod, state: PodState, attempt: Attempt): readonly PodEvent[] => {
  const { observed } = attempt;
  if (!observed) return [];
  const perContainer = (pod.spec?.containers ?? []).flatMap((container) => {
    const current = observed.containers.find(({ name }) => name === container.name);
    return current ? containerEvents(pod, container, current, attempt, observed, state) : [];
  });
  return attempt.attempt > 1 ? [restartedEvent(observed), ...perContainer] : perContainer;
};

const containerEvents = (
  pod: Pod,
  spec: Container,
  current: WorkloadContainer,
  { attempt, failedProbe }: Attempt,
  observed: Workload,
  state: PodState,
): readonly PodEvent[] => {
  const { name, image = '' } = spec;
  const event = (reason: string, message: string, at?: number, type: PodEvent['type'] = 'Normal'): PodEvent => ({
    key: `${attempt}/${reason}/${name}/${type}`,
    type,
    reason,
    message,
    container: name,
    ...(at !== undefined && { at }),
  });
  const { pullStartedAt, pullStoppedAt, startedAt, end } = observed;
  const failedPull = end?.kind === 'failed-to-start' && isPullError(end.reason);
  const ran = hasRun(observed, current);
  const stopped = state.stops?.[observed.id];
  return [
    ...(pullStartedAt === undefined ? [] : [event('Pulling', `Pulling image ${JSON.stringify(image)}`, pullStartedAt)]),
    ...(pullStoppedAt === undefined || failedPull
      ? []
      : [event('Pulled', pulledMessage(image, observed), pullStoppedAt)]),
    ...(ran && !failsToStart(observed, current)
      ? [
          // Where nothing was pulled nothing is made of it either: one event tells the same.
          ...(pullStoppedAt === undefined ? [] : [event('Created', `Created container: ${name}`, startedAt)]),
          event('Started', `Started container ${name}`, startedAt),
        ]
      : []),
    ...(ran && failsToStart(observed, current)
      ? [
          event(
            'Failed',
            `Error: ${current.message ?? end?.message ?? 'the container could not start'}`,
            undefined,
            'Warning',
          ),
        ]
      : []),
    ...unhealthyEvents(spec, current, event),
    ...(stopped !== undefined && ran
      ? [event('Killing', failedProbe ? killedMessage(failedProbe, pod) : `Stopping container ${name}`, stopped)]
      : []),
  ];
};

type MakeEvent = (reason: string, message: string, at?: number, type?: PodEvent['type']) => PodEvent;

/** Told once for each probe and run: the health check does not say how often it has failed. */
const unhealthyEvents = (spec: Container, { health }: WorkloadContainer, event: MakeEvent): readonly PodEvent[] =>
  health !== 'unhealthy'
    ? []
    : (containerCheck(spec)?.serves ?? []).map((field) => {
        const made = event('Unhealthy', `${PROBE_NAMES[field]} probe failed: the command fails`, undefined, 'Warning');
        return { ...made, key: `${made.key}/${field}` };
      });

const PROBE_NAMES = { startupProbe: 'Startup', readinessProbe: 'Readiness', livenessProbe: 'Liveness' } as const;

/** kubelet's words for a container that a probe ends. */
const killedMessage = ({ container, probe }: NonNullable<Attempt['failedProbe']>, { spec }: Pod): string =>
  `Container ${container} failed ${probe} probe${spec?.restartPolicy === 'Never' ? '' : ', will be restarted'}`;

const failsToStart = ({ end, startedAt }: Workload, { reason, exitCode }: WorkloadContainer): boolean =>
  (reason !== undefined && isStartError(reason)) ||
  (startedAt === undefined && exitCode === undefined && end !== undefined && isStartError(end.reason));

const pulledMessage = (image: string, { pullStartedAt, pullStoppedAt }: Workload): string => {
  const took =
    pullStartedAt === undefined || pullStoppedAt === undefined
      ? ''
      : ` in ${pullDuration(pullStoppedAt - pullStartedAt)}`;
  return `Successfully pulled image ${JSON.stringify(image)}${took}`;
};

/** Said once for each pod: here a restart is more than a kubelet's. */
const restartedEvent = ({ createdAt }: Workload): PodEvent => ({
  key: '0/RestartedAsNewTask',
  type: 'Normal',
  reason: 'RestartedAsNewTask',
  message: 'A restart is a new task: the IP address is another one, and files of the run before are gone',
  ...(createdAt !== undefined && { at: createdAt }),
});
