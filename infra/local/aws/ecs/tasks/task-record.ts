import type { TaskDefinition } from '../definitions/definition.ts';
import type { Tag } from '../tags.ts';
import type { TaskOverride } from './overrides.ts';

export type TaskStatus =
  | 'PROVISIONING'
  | 'PENDING'
  | 'ACTIVATING'
  | 'RUNNING'
  | 'DEACTIVATING'
  | 'STOPPING'
  | 'DEPROVISIONING'
  | 'STOPPED';

export type StopCode =
  | 'TaskFailedToStart'
  | 'EssentialContainerExited'
  | 'UserInitiated'
  | 'SpotInterruption'
  | 'TerminationNotice'
  | 'InfrastructureHealth';

export type Health = 'HEALTHY' | 'UNHEALTHY' | 'UNKNOWN';

/** The agent of ExecuteCommand beside a container. */
export interface ExecAgent {
  readonly lastStatus: 'PENDING' | 'RUNNING' | 'STOPPED';
  /** Milliseconds since the epoch. */
  readonly lastStartedAt?: number;
  readonly reason?: string;
}

export interface ContainerRecord {
  readonly arn: string;
  readonly name: string;
  /** Absent for containers nobody asked for. */
  readonly image?: string;
  readonly imageDigest?: string;
  readonly runtimeId?: string;
  readonly lastStatus: 'PENDING' | 'RUNNING' | 'STOPPED';
  /** Absent when it never ran. */
  readonly exitCode?: number;
  readonly reason?: string;
  readonly health: Health;
  /** Of tasks with execute command enabled. */
  readonly execAgent?: ExecAgent;
  readonly cpu: string;
  readonly memory?: string;
  readonly memoryReservation?: string;
  readonly essential: boolean;
}

export interface Attachment {
  readonly id: string;
  readonly status: 'PRECREATED' | 'ATTACHED' | 'DETACHED' | 'DELETED';
  readonly subnetId: string;
  /** Known once the interface is there. */
  readonly networkInterfaceId?: string;
  readonly macAddress?: string;
  readonly privateIp?: string;
}

/** One task as the service knows it. Replaced, never changed; times in milliseconds since the epoch. */
export interface TaskRecord {
  readonly arn: string;
  readonly id: string;
  readonly clusterArn: string;
  readonly clusterName: string;
  readonly definition: TaskDefinition;
  readonly overrides: TaskOverride;
  readonly cpu: string;
  readonly memory: string;
  readonly ephemeralStorageGiB: number;
  readonly group: string;
  readonly startedBy?: string;
  readonly capacityProvider?: string;
  readonly platformVersion: string;
  readonly availabilityZone: string;
  readonly enableExecuteCommand: boolean;
  readonly tags: readonly Tag[];
  readonly containers: readonly ContainerRecord[];
  readonly attachment: Attachment;
  /** Counts the changes that make events. */
  readonly version: number;
  readonly lastStatus: TaskStatus;
  readonly desiredStatus: 'RUNNING' | 'STOPPED';
  readonly createdAt: number;
  readonly connectivityAt?: number;
  readonly pullStartedAt?: number;
  readonly pullStoppedAt?: number;
  readonly startedAt?: number;
  readonly stoppingAt?: number;
  readonly executionStoppedAt?: number;
  readonly stoppedAt?: number;
  readonly updatedAt: number;
  readonly stopCode?: StopCode;
  readonly stoppedReason?: string;
  /** A read sees the task from then on. */
  readonly visibleFrom: number;
}

/** The record with one container changed. */
export const withContainer = (
  task: TaskRecord,
  name: string,
  patch: Partial<ContainerRecord>,
): Pick<TaskRecord, 'containers'> => ({
  containers: task.containers.map((container) => (container.name === name ? { ...container, ...patch } : container)),
});
