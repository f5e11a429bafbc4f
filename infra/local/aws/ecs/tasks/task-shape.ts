import type { Attachment, ContainerRecord, ExecAgent, TaskRecord } from './task-record.ts';

/** How a moment is written: seconds in API answers, ISO text in events. */
export type Moment = (ms: number) => number | string;

export const inSeconds: Moment = (ms) => ms / 1000;
export const inIso: Moment = (ms) => new Date(ms).toISOString();

const moments = [
  'createdAt',
  'connectivityAt',
  'pullStartedAt',
  'pullStoppedAt',
  'startedAt',
  'stoppingAt',
  'executionStoppedAt',
  'stoppedAt',
] as const;

/** What API answers and events have in common. Absent members are absent, never empty. */
export const taskShape = (task: TaskRecord, at: Moment): Record<string, unknown> => ({
  attributes: [{ name: 'ecs.cpu-architecture', value: architectureOf(task) }],
  availabilityZone: task.availabilityZone,
  ...(task.capacityProvider !== undefined && { capacityProviderName: task.capacityProvider }),
  clusterArn: task.clusterArn,
  ...(task.connectivityAt !== undefined && { connectivity: 'CONNECTED' }),
  cpu: task.cpu,
  desiredStatus: task.desiredStatus,
  enableExecuteCommand: task.enableExecuteCommand,
  group: task.group,
  launchType: 'FARGATE',
  lastStatus: task.lastStatus,
  memory: task.memory,
  overrides: {
    ...task.overrides,
    containerOverrides: task.definition.containers.map(
      ({ name }) => task.overrides.containerOverrides?.find((override) => override.name === name) ?? { name },
    ),
    inferenceAcceleratorOverrides: [],
  },
  platformVersion: task.platformVersion,
  platformFamily: 'Linux',
  ...(task.startedBy !== undefined && { startedBy: task.startedBy }),
  ...(task.stopCode !== undefined && { stopCode: task.stopCode }),
  ...(task.stoppedReason !== undefined && { stoppedReason: task.stoppedReason }),
  taskArn: task.arn,
  taskDefinitionArn: task.definition.arn,
  version: task.version,
  ephemeralStorage: { sizeInGiB: task.ephemeralStorageGiB },
  ...Object.fromEntries(moments.flatMap((name) => (task[name] === undefined ? [] : [[name, at(task[name])]]))),
});

/** A container without its health, which events leave out. */
export const containerShape = (task: TaskRecord, container: ContainerRecord, at: Moment): Record<string, unknown> => ({
  containerArn: container.arn,
  taskArn: task.arn,
  name: container.name,
  ...(container.image !== undefined && { image: container.image }),
  ...(container.imageDigest !== undefined && { imageDigest: container.imageDigest }),
  ...(container.runtimeId !== undefined && { runtimeId: container.runtimeId }),
  lastStatus: container.lastStatus,
  ...(container.exitCode !== undefined && { exitCode: container.exitCode }),
  ...(container.reason !== undefined && { reason: container.reason }),
  networkBindings: [],
  networkInterfaces:
    task.attachment.privateIp === undefined
      ? []
      : [{ attachmentId: task.attachment.id, privateIpv4Address: task.attachment.privateIp }],
  cpu: container.cpu,
  ...(container.memory !== undefined && { memory: container.memory }),
  ...(container.memoryReservation !== undefined && { memoryReservation: container.memoryReservation }),
  ...(container.execAgent && { managedAgents: [managedAgentShape(container.execAgent, at)] }),
});

const managedAgentShape = ({ lastStatus, lastStartedAt, reason }: ExecAgent, at: Moment): Record<string, unknown> => ({
  name: 'ExecuteCommandAgent',
  lastStatus,
  ...(lastStartedAt !== undefined && { lastStartedAt: at(lastStartedAt) }),
  ...(reason !== undefined && { reason }),
});

/** `type` is ElasticNetworkInterface in API answers and `eni` in events. */
export const attachmentShape = (attachment: Attachment, type: string, dnsDomain: string): Record<string, unknown> => {
  const { subnetId, networkInterfaceId, macAddress, privateIp } = attachment;
  const details = [
    ['subnetId', subnetId],
    ['networkInterfaceId', networkInterfaceId],
    ['macAddress', macAddress],
    ['privateDnsName', privateIp && `ip-${privateIp.replaceAll('.', '-')}.${dnsDomain}`],
    ['privateIPv4Address', privateIp],
  ].flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  return { id: attachment.id, type, status: attachment.status, details };
};

/** HEALTHY when all essential containers with a check are; UNHEALTHY when one of them is; else UNKNOWN. */
export const taskHealthOf = (task: TaskRecord): string => {
  const checked = task.containers.filter(
    ({ name, essential }) =>
      essential && task.definition.containers.some((container) => container.name === name && container.healthCheck),
  );
  if (checked.some(({ health }) => health === 'UNHEALTHY')) return 'UNHEALTHY';
  return checked.length > 0 && checked.every(({ health }) => health === 'HEALTHY') ? 'HEALTHY' : 'UNKNOWN';
};

const architectureOf = (task: TaskRecord): string =>
  task.definition.input.runtimePlatform?.cpuArchitecture === 'ARM64' ? 'arm64' : 'x86_64';
