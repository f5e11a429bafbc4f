import type { Workload, WorkloadContainer, WorkloadEnd, WorkloadPhase } from '../../../model/workload.ts';
import { isForeignContainer } from '../deployment.ts';
import type { EcsContainer, EcsTask } from './ecs-task.ts';
import { endOf, isOutOfMemory, isRunFailure } from './stop-reasons.ts';
import { identityOf } from './task-identity.ts';

/** containerd's exit code for a container whose process could not be run. */
const START_ERROR_CODE = 128;
/** 128 + SIGKILL: what the kernel does to a container above its memory limit. */
const OOM_CODE = 137;

/**
 * An ECS task in the provider's neutral words. Pure and total: unknown states have an answer, and an exit code that is
 * not there stays away, because absence is not success.
 */
export const taskToWorkload = (task: EcsTask): Workload => {
  const identity = identityOf(task.startedBy, task.group);
  const phase = phaseOf(task);
  const stopping = task.desiredStatus === 'STOPPED' || phase === 'stopping' || phase === 'stopped';
  const own = (task.containers ?? []).filter(({ name }) => name !== undefined && !isForeignContainer(name));
  const started = task.startedAt !== undefined || own.some(({ exitCode }) => typeof exitCode === 'number');
  const told = task.stopCode !== undefined || Boolean(task.stoppedReason) || phase === 'stopped';
  const texts = own.map(({ reason = '' }) => reason);
  const end = stopping && told ? endOf(task.stopCode, task.stoppedReason, texts, started) : undefined;
  const endedAt = task.executionStoppedAt ?? (phase === 'stopped' ? task.stoppedAt : undefined);
  return {
    id: task.taskArn,
    podUid: identity?.podUid,
    attempt: identity?.attempt ?? 1,
    try: identity?.try ?? 1,
    version: task.version ?? 0,
    phase,
    stopping,
    ips: ipsOf(task),
    ...(task.createdAt !== undefined && { createdAt: task.createdAt }),
    ...(task.pullStartedAt !== undefined && { pullStartedAt: task.pullStartedAt }),
    ...(task.pullStoppedAt !== undefined && { pullStoppedAt: task.pullStoppedAt }),
    ...(task.startedAt !== undefined && { startedAt: task.startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(task.stoppedAt !== undefined && { stoppedAt: task.stoppedAt }),
    ...(end && { end }),
    containers: own.map((container) => containerOf(container, phase, end, task)),
  };
};

const phaseOf = ({ lastStatus, desiredStatus }: EcsTask): WorkloadPhase => {
  switch (lastStatus) {
    case 'RUNNING':
      return 'running';
    case 'DEACTIVATING':
    case 'STOPPING':
    case 'DEPROVISIONING':
      return 'stopping';
    case 'STOPPED':
    case 'DELETED':
      return 'stopped';
    default:
      // PROVISIONING, PENDING, ACTIVATING, and whatever ECS may add.
      return desiredStatus === 'STOPPED' ? 'stopping' : 'starting';
  }
};

const containerOf = (
  container: EcsContainer,
  phase: WorkloadPhase,
  end: WorkloadEnd | undefined,
  task: EcsTask,
): WorkloadContainer => {
  const { name = '', image, imageDigest, runtimeId, healthStatus } = container;
  const health = healthOf(healthStatus);
  return {
    name,
    ...stateOf(container, phase, end, task),
    ...(image !== undefined && { image }),
    ...(imageDigest !== undefined && { imageDigest }),
    ...(runtimeId !== undefined && { containerId: `ecs://${runtimeId}` }),
    ...(health && { health }),
  };
};

type ContainerOutcome = Pick<WorkloadContainer, 'state' | 'exitCode' | 'reason' | 'message'>;

const stateOf = (
  { lastStatus, exitCode, reason = '' }: EcsContainer,
  phase: WorkloadPhase,
  end: WorkloadEnd | undefined,
  task: EcsTask,
): ContainerOutcome => {
  if (typeof exitCode !== 'number' && end?.kind === 'failed-to-start')
    return { state: 'waiting', reason: end.reason, message: reason || end.message };
  if (lastStatus !== 'STOPPED' && phase !== 'stopped')
    return { state: lastStatus === 'RUNNING' ? 'running' : 'waiting', ...(reason && { message: reason }) };

  const message = reason || (end?.kind === 'exited' && !isRunFailure(end.message) ? undefined : end?.message);
  if (isOutOfMemory(reason) || (exitCode === OOM_CODE && isOutOfMemory(task.stoppedReason ?? ''))) {
    // A child may have been killed while the main process ended with 0: the reason wins.
    return {
      state: 'terminated',
      exitCode: exitCode || OOM_CODE,
      reason: 'OOMKilled',
      ...(message && { message }),
    };
  }
  if (isRunFailure(message ?? '') && !exitCode)
    return { state: 'terminated', exitCode: START_ERROR_CODE, reason: 'StartError', ...(message && { message }) };
  return { state: 'terminated', ...(typeof exitCode === 'number' && { exitCode }), ...(message && { message }) };
};

const healthOf = (status: string | undefined): WorkloadContainer['health'] => {
  switch (status) {
    case 'HEALTHY':
      return 'healthy';
    case 'UNHEALTHY':
      return 'unhealthy';
    case 'UNKNOWN':
      return 'unknown';
    default:
      return undefined;
  }
};

/** IPv4 before IPv6, from the containers or, before these show it, from the network attachment. */
const ipsOf = ({ containers = [], attachments = [] }: EcsTask): readonly string[] => {
  const interfaces = containers.flatMap(({ networkInterfaces = [] }) => networkInterfaces);
  const details = attachments
    .filter(({ type = '' }) => type === 'eni' || type === 'ElasticNetworkInterface')
    .flatMap((attachment) => attachment.details ?? []);
  const detail = (name: string): (string | undefined)[] =>
    details.filter((one) => one.name === name).map(({ value }) => value);
  const found = [
    ...interfaces.map(({ privateIpv4Address }) => privateIpv4Address),
    ...detail('privateIPv4Address'),
    ...interfaces.map(({ ipv6Address }) => ipv6Address),
    ...detail('ipv6Address'),
  ];
  return [...new Set(found.flatMap((ip) => (ip ? [ip] : [])))];
};
