import type { WorkloadEnd } from '../../../model/workload.ts';

/**
 * Why a task could not start, in kubelet's words, by what ECS says (`stoppedReason` or a container's `reason`); the
 * first line that fits. The last three are reasons of events: while they last the container waits as `ContainerCreating`.
 */
const START_FAILURES: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/CannotPull\w*Error.*invalid reference format/i, 'InvalidImageName'],
  [/CannotPull\w*Error/i, 'ErrImagePull'],
  // Both begin with "unable to pull secrets or registry auth".
  [
    /ResourceInitializationError.*(retrieve|fetch) secrets? |ResourceInitializationError.*json key/i,
    'CreateContainerConfigError',
  ],
  [/ResourceInitializationError.*registry auth/i, 'ErrImagePull'],
  [/ResourceInitializationError.*(secret|ssm|parameter)/i, 'CreateContainerConfigError'],
  [/ResourceInitializationError.*(EFS|EBS|volume|mount|invoke)/i, 'FailedMount'],
  [/CannotCreateVolumeError/i, 'FailedMount'],
  [/ResourceInitializationError/i, 'CreateContainerError'],
  [/CannotCreateContainerError/i, 'CreateContainerError'],
  [/capacity is unavailable|EMPTY CAPACITY PROVIDER|RESOURCE:/i, 'OutOfCapacity'],
];

const START_FAILURE_DEFAULT = 'FailedCreatePodSandBox';

/** The container was made but its process could not be run: an end with exit code 128, as containerd has it. */
const RUN_FAILURE = /Cannot(Start|Exec)\w*Error|ContainerRuntime\w*Error/i;

const OUT_OF_MEMORY = /^OutOfMemory/i;

const MAINTENANCE = /performing maintenance|retire/i;

export const isRunFailure = (text: string): boolean => RUN_FAILURE.test(text);

export const isOutOfMemory = (text: string): boolean => OUT_OF_MEMORY.test(text);

/** The end of a task that is stopped or told to stop. `texts`: what its containers say, in their order. */
export const endOf = (
  stopCode: string | undefined,
  stoppedReason: string | undefined,
  texts: readonly string[],
  started: boolean,
): WorkloadEnd => {
  const told = stoppedReason || texts.find((text) => text !== '') || stopCode;
  const message = told || 'task stopped without a reason';
  const all = [stoppedReason ?? '', ...texts];
  switch (stopCode) {
    case 'SpotInterruption':
      return { kind: 'disrupted', reason: 'Preempted', message };
    case 'TerminationNotice':
    case 'InfrastructureHealth':
      return { kind: 'disrupted', reason: 'Terminated', message };
    case 'UserInitiated':
    case 'ServiceSchedulerInitiated':
      return MAINTENANCE.test(message)
        ? { kind: 'disrupted', reason: 'Terminated', message }
        : { kind: 'requested', reason: 'Requested', message };
    case 'EssentialContainerExited':
      return { kind: 'exited', reason: 'Exited', message };
    default:
      // TaskFailedToStart, or a code that is not there or not known to us.
      if (started || all.some(isRunFailure)) return { kind: 'exited', reason: 'Exited', message };
      return { kind: 'failed-to-start', reason: startFailureReason(all), message: withWayOut(message) };
  }
};

/** A registry or AWS's own services that nobody reached: what a subnet without a way out looks like. */
const UNREACHED =
  /(CannotPull\w*Error|ResourceInitializationError).*(i\/o timeout|dial tcp|deadline exceeded|request canceled|connection issue)/is;

const withWayOut = (message: string): string =>
  UNREACHED.test(message) ? `${message} (has the subnet a way out? svk doctor --only subnets tells)` : message;

const startFailureReason = (texts: readonly string[]): string =>
  START_FAILURES.find(([pattern]) => texts.some((text) => pattern.test(text)))?.[1] ?? START_FAILURE_DEFAULT;
