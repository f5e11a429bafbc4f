import { type ContainerSpec, StartFailure } from '../../../runtimes/runtime.ts';
import type { EcsContext } from '../context.ts';
import type { TaskDefinition } from '../definitions/definition.ts';
import type { TaskRecord } from '../tasks/task-record.ts';
import { registryLoginOf, secretsOf } from './container-secrets.ts';

type Container = TaskDefinition['containers'][number];

/**
 * The containers of a task with overrides applied and secrets read, as the agent does before it pulls an image.
 * @throws {StartFailure} ResourceInitializationError in Fargate's words.
 */
export const containerSpecs = (context: EcsContext, task: TaskRecord): readonly ContainerSpec[] => {
  checkVolumes(task);
  return task.definition.containers.map((container) => {
    checkLogging(context, container);
    const login = registryLoginOf(context, container);
    return {
      ...specOf(task, container, environmentOf(context, task, container)),
      ...(login && { registryLogin: login }),
    };
  });
};

const checkVolumes = ({ definition }: TaskRecord): void => {
  for (const { name, efsVolumeConfiguration, configuredAtLaunch } of definition.input.volumes ?? []) {
    if (efsVolumeConfiguration || configuredAtLaunch) {
      throw new StartFailure(
        `ResourceInitializationError: failed to set up volume '${name}': the local ECS has neither EFS nor EBS.`,
      );
    }
  }
};

const checkLogging = (context: EcsContext, { logConfiguration }: Container): void => {
  if (!logConfiguration) return;
  const { logDriver = '', options = {} } = logConfiguration;
  if (logDriver !== 'awslogs') {
    throw new StartFailure(
      `ResourceInitializationError: failed to initialize logging driver: the local ECS has awslogs only, not ${logDriver}`,
    );
  }
  const group = options['awslogs-group'] ?? '';
  if (options['awslogs-create-group'] === 'true') context.logs.ensureGroup(group);
  if (context.logs.hasGroup(group)) return;
  throw new StartFailure(
    'ResourceInitializationError: failed to validate logger args: create stream has been retried 1 times: failed to create Cloudwatch log stream: ResourceNotFoundException: The specified log group does not exist. : exit status 1',
  );
};

/** What Fargate adds (developer guide, "environment variables"): its region may be named otherwise, its endpoint not. */
const environmentOf = (
  context: EcsContext,
  task: TaskRecord,
  container: Container,
): Readonly<Record<string, string>> => {
  const endpoint = context.metadata.open(task.arn, container.name);
  const pairs = [...(container.environment ?? []), ...(overrideOf(task, container)?.environment ?? [])];
  return {
    AWS_EXECUTION_ENV: 'AWS_ECS_FARGATE',
    AWS_REGION: context.region,
    AWS_DEFAULT_REGION: context.region,
    ...Object.fromEntries(pairs.map(({ name = '', value = '' }) => [name, value])),
    ...secretsOf(context, container),
    ...(endpoint !== undefined && { ECS_CONTAINER_METADATA_URI_V4: endpoint }),
  };
};

const overrideOf = (
  task: TaskRecord,
  container: Container,
): NonNullable<TaskRecord['overrides']['containerOverrides']>[number] | undefined =>
  task.overrides.containerOverrides?.find(({ name }) => name === container.name);

const specOf = (
  task: TaskRecord,
  container: Container,
  environment: Readonly<Record<string, string>>,
): ContainerSpec => {
  const override = overrideOf(task, container);
  const command = override?.command ?? container.command;
  const memoryMiB = override?.memory ?? container.memory;
  const memoryReservationMiB = override?.memoryReservation ?? container.memoryReservation;
  const linux = container.linuxParameters;
  const files = container.ulimits?.find(({ name }) => name === 'nofile');
  return {
    name: container.name,
    image: container.image,
    ...(container.entryPoint?.length && { entryPoint: container.entryPoint }),
    ...(command?.length && { command }),
    environment,
    ...(container.workingDirectory !== undefined && { workingDirectory: container.workingDirectory }),
    ...(container.user !== undefined && { user: container.user }),
    ...(memoryMiB !== undefined && { memoryMiB }),
    ...(memoryReservationMiB !== undefined && { memoryReservationMiB }),
    cpuShares: override?.cpu ?? container.cpu ?? 0,
    readOnlyRoot: container.readonlyRootFilesystem ?? false,
    addCapabilities: linux?.capabilities?.add ?? [],
    dropCapabilities: linux?.capabilities?.drop ?? [],
    initProcess: linux?.initProcessEnabled ?? false,
    stdin: container.interactive ?? false,
    tty: container.pseudoTerminal ?? false,
    ...(files && { openFiles: { soft: files.softLimit ?? 0, hard: files.hardLimit ?? 0 } }),
    sysctls: Object.fromEntries(
      (container.systemControls ?? []).map(({ namespace = '', value = '' }) => [namespace, value]),
    ),
    labels: container.dockerLabels ?? {},
    mounts: (container.mountPoints ?? []).map(({ sourceVolume = '', containerPath = '', readOnly = false }) => ({
      volume: sourceVolume,
      path: containerPath,
      readOnly,
    })),
    mountsFrom: (container.volumesFrom ?? []).map(({ sourceContainer = '', readOnly = false }) => ({
      container: sourceContainer,
      readOnly,
    })),
  };
};
