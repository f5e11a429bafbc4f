import type { ContainerView } from '../ecs/agent/agents.ts';
import type { EcsContext } from '../ecs/context.ts';
import type { ContainerRecord, TaskRecord } from '../ecs/tasks/task-record.ts';

type Shape = Record<string, unknown>;
type Context = Pick<EcsContext, 'region'>;

const iso = (ms: number): string => new Date(ms).toISOString();

/** The answer of `${ECS_CONTAINER_METADATA_URI_V4}`. Members that are not known yet are left out, as ECS leaves them out. */
export const metadataOfContainer = (
  { region }: Context,
  task: TaskRecord,
  container: ContainerRecord,
  view: ContainerView | undefined,
): Shape => {
  const definition = task.definition.containers.find(({ name }) => name === container.name);
  const { logDriver, options } = definition?.logConfiguration ?? {};
  const { privateIp, macAddress } = task.attachment;
  return {
    ...(container.runtimeId !== undefined && { DockerId: container.runtimeId }),
    Name: container.name,
    DockerName: container.name,
    ...(container.image !== undefined && { Image: container.image }),
    ...(container.imageDigest !== undefined && { ImageID: container.imageDigest }),
    Labels: {
      ...definition?.dockerLabels,
      'com.amazonaws.ecs.cluster': task.clusterArn,
      'com.amazonaws.ecs.container-name': container.name,
      'com.amazonaws.ecs.task-arn': task.arn,
      'com.amazonaws.ecs.task-definition-family': task.definition.family,
      'com.amazonaws.ecs.task-definition-version': String(task.definition.revision),
    },
    DesiredStatus: task.desiredStatus,
    KnownStatus: knownStatusOf(task, container),
    ...(container.exitCode !== undefined && { ExitCode: container.exitCode }),
    Limits: { CPU: Number(container.cpu) || 0, Memory: Number(container.memory ?? task.memory) },
    ...(view?.startedAt !== undefined && { CreatedAt: iso(view.startedAt), StartedAt: iso(view.startedAt) }),
    ...(definition?.restartPolicy?.enabled && { RestartCount: view?.restarts ?? 0 }),
    Type: 'NORMAL',
    ...(container.health !== 'UNKNOWN' && { Health: { status: container.health } }),
    ...(logDriver !== undefined && { LogDriver: logDriver, LogOptions: options ?? {} }),
    ContainerARN: container.arn,
    Networks: [
      {
        NetworkMode: 'awsvpc',
        IPv4Addresses: privateIp === undefined ? [] : [privateIp],
        AttachmentIndex: 0,
        ...(macAddress !== undefined && { MACAddress: macAddress }),
        ...(privateIp !== undefined && {
          PrivateDNSName: `ip-${privateIp.replaceAll('.', '-')}.${region}.compute.internal`,
        }),
      },
    ],
    Snapshotter: 'overlayfs',
  };
};

/** The answer of `/task`. The CPU limit is in vCPUs, memory in MiB. */
export const metadataOfTask = (
  context: Context,
  task: TaskRecord,
  viewOf: (container: string) => ContainerView | undefined,
): Shape => ({
  Cluster: task.clusterArn,
  TaskARN: task.arn,
  Family: task.definition.family,
  Revision: String(task.definition.revision),
  DesiredStatus: task.desiredStatus,
  KnownStatus: task.lastStatus,
  Limits: { CPU: Number(task.cpu) / 1024, Memory: Number(task.memory) },
  ...(task.pullStartedAt !== undefined && { PullStartedAt: iso(task.pullStartedAt) }),
  ...(task.pullStoppedAt !== undefined && { PullStoppedAt: iso(task.pullStoppedAt) }),
  AvailabilityZone: task.availabilityZone,
  LaunchType: 'FARGATE',
  Containers: task.containers.map((container) => metadataOfContainer(context, task, container, viewOf(container.name))),
  EphemeralStorageMetrics: { Reserved: task.ephemeralStorageGiB * 1024 },
});

const knownStatusOf = (task: TaskRecord, { lastStatus }: ContainerRecord): string => {
  if (lastStatus !== 'PENDING') return lastStatus;
  return task.pullStoppedAt === undefined ? 'NONE' : 'PULLED';
};
