import { sha256Hex } from '../../../../../src/core/digest.ts';
import type { Cluster } from '../cluster-store.ts';
import type { EcsContext } from '../context.ts';
import type { TaskDefinition } from '../definitions/definition.ts';
import { mergeTags, type Tag } from '../tags.ts';
import type { Sized } from './overrides.ts';
import type { Placement } from './placement.ts';
import type { RunTaskRequest } from './run-task-request.ts';
import type { ContainerRecord, TaskRecord } from './task-record.ts';

interface Accepted {
  readonly request: RunTaskRequest;
  readonly cluster: Cluster;
  readonly definition: TaskDefinition;
  readonly placement: Placement;
  readonly sized: Sized;
  readonly tags: readonly Tag[];
}

/** The task as it is born: PROVISIONING, version 1, its network interface only planned. */
export const newTask = (context: EcsContext, accepted: Accepted): TaskRecord => {
  const { request, cluster, definition, placement, sized, tags } = accepted;
  const now = context.clock.now();
  const id = context.random.uuid().replaceAll('-', '');
  const subnetId = placement.subnets[Math.floor(context.random.next() * placement.subnets.length)] ?? '';
  const missing = context.faults.take('missing', ({ taskArn }) => taskArn === undefined);
  const stranger = context.faults.take('stranger');
  const arnOf = (): string => context.arns.container(cluster.name, id, context.random.uuid());
  return {
    arn: context.arns.task(cluster.name, id),
    id,
    clusterArn: cluster.arn,
    clusterName: cluster.name,
    definition,
    overrides: request.overrides ?? {},
    ...sized,
    group: request.group ?? `family:${definition.family}`,
    ...(request.startedBy !== undefined && { startedBy: request.startedBy }),
    ...(placement.capacityProvider !== undefined && { capacityProvider: placement.capacityProvider }),
    platformVersion: placement.platformVersion,
    availabilityZone: `${context.region}${'abc'.charAt(Number.parseInt(sha256Hex(subnetId, 8), 16) % 3)}`,
    enableExecuteCommand: request.enableExecuteCommand ?? false,
    tags: mergeTags([], tags),
    containers: [
      ...definition.containers.map((container) => containerRecord(container, request, arnOf())),
      ...(stranger ? [strangerRecord(stranger.name ?? `aws-guardduty-agent-${id.slice(0, 6)}`, arnOf())] : []),
    ],
    attachment: { id: context.random.uuid(), status: 'PRECREATED', subnetId },
    version: 1,
    lastStatus: 'PROVISIONING',
    desiredStatus: 'RUNNING',
    createdAt: now,
    updatedAt: now,
    visibleFrom: missing ? now + (missing.seconds ?? 5) * 1000 : now,
  };
};

const containerRecord = (
  container: TaskDefinition['containers'][number],
  request: RunTaskRequest,
  arn: string,
): ContainerRecord => {
  const override = request.overrides?.containerOverrides?.find(({ name }) => name === container.name);
  const memory = override?.memory ?? container.memory;
  const reservation = override?.memoryReservation ?? container.memoryReservation;
  return {
    arn,
    name: container.name,
    image: container.image,
    lastStatus: 'PENDING',
    health: 'UNKNOWN',
    ...(request.enableExecuteCommand && { execAgent: { lastStatus: 'PENDING' } }),
    cpu: String(override?.cpu ?? container.cpu ?? 0),
    ...(memory !== undefined && { memory: String(memory) }),
    ...(reservation !== undefined && { memoryReservation: String(reservation) }),
    essential: container.essential,
  };
};

/** A container AWS adds by itself, such as GuardDuty's agent. */
const strangerRecord = (name: string, arn: string): ContainerRecord => ({
  arn,
  name,
  lastStatus: 'PENDING',
  health: 'UNKNOWN',
  cpu: 'null',
  essential: false,
});
