import { cpuUnitsOf, fargateSizeProblem, memoryMiBOf } from './fargate-sizes.ts';
import type { DefinitionInput, Problems } from './schema.ts';

/** Everything that can be wrong with a Fargate definition outside its containers. */
export function* taskProblems(input: DefinitionInput): Problems {
  const containers = input.containerDefinitions ?? [];
  if (!input.family) yield 'Family should not be null or empty.';
  if (!/^[A-Za-z0-9_-]{1,255}$/.test(input.family ?? '')) {
    yield 'Family contains invalid characters: up to 255 letters, numbers, underscores and hyphens are allowed.';
  }
  if (containers.length === 0) yield 'Container list cannot be empty.';
  if (containers.length > 10) yield 'Too many containers: a task definition can have at most 10.';
  yield* compatibilityProblems(input);
  yield* sizeProblems(input);
  yield* roleProblems(input);
  yield* volumeProblems(input);
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > 65_536) yield `Actual length ${bytes}. Max allowed length is 65536 bytes.`;
}

function* compatibilityProblems(input: DefinitionInput): Problems {
  if (!input.requiresCompatibilities?.includes('FARGATE')) {
    yield 'The local ECS runs Fargate tasks only: requiresCompatibilities must contain FARGATE.';
  }
  if (input.networkMode !== 'awsvpc') yield 'Fargate only supports network mode ‘awsvpc’.';
  if (input.ipcMode !== undefined) yield 'Fargate compatible task definitions do not support ipcMode';
  if (input.pidMode !== undefined && input.pidMode !== 'task') {
    yield `Fargate compatible task definitions do not support pidMode ${input.pidMode}`;
  }
  if (input.placementConstraints?.length) yield 'Fargate compatible task definitions do not support constraints';
  const { cpuArchitecture = 'X86_64', operatingSystemFamily = 'LINUX' } = input.runtimePlatform ?? {};
  if (!['X86_64', 'ARM64'].includes(cpuArchitecture)) yield `Invalid cpuArchitecture '${cpuArchitecture}'.`;
  if (operatingSystemFamily !== 'LINUX') {
    yield `The local ECS runs Linux tasks only, not operatingSystemFamily '${operatingSystemFamily}'.`;
  }
}

function* sizeProblems(input: DefinitionInput): Problems {
  const { cpu, memory, containerDefinitions: containers = [] } = input;
  if (!cpu) yield "Fargate requires that 'cpu' be defined at the task level.";
  if (!memory) yield "Fargate requires that 'memory' be defined at the task level.";
  if (!cpu || !memory) return;
  const problem = fargateSizeProblem(cpu, memory);
  if (problem) yield problem;
  const taskMemory = memoryMiBOf(memory) ?? 0;
  const taskCpu = cpuUnitsOf(cpu) ?? 0;
  for (const { name, memory: hard, cpu: shares } of containers) {
    if ((hard ?? 0) > taskMemory) yield `The 'memory' setting for container '${name}' is greater than for the task.`;
    if ((shares ?? 0) > taskCpu) yield `The 'cpu' setting for container '${name}' is greater than for the task.`;
  }
  if (sum(containers.map((container) => container.cpu)) > taskCpu) {
    yield "The total 'cpu' of the containers is greater than for the task.";
  }
  if (sum(containers.map((container) => container.memory ?? container.memoryReservation)) > taskMemory) {
    yield "The total 'memory' of the containers is greater than for the task.";
  }
  const storage = input.ephemeralStorage?.sizeInGiB;
  if (input.ephemeralStorage && (storage === undefined || storage < 21 || storage > 200)) {
    yield 'Invalid ephemeral storage size: sizeInGiB must be between 21 and 200.';
  }
}

function* roleProblems(input: DefinitionInput): Problems {
  for (const role of [input.executionRoleArn, input.taskRoleArn]) {
    if (role !== undefined && !/^(arn:[\w-]+:iam::\d{12}:role\/.+|[\w+=,.@-]+)$/.test(role)) yield 'Role is not valid';
  }
  if (input.executionRoleArn) return;
  for (const container of input.containerDefinitions ?? []) {
    if (container.logConfiguration?.logDriver === 'awslogs') {
      yield 'Fargate requires task definition to have execution role ARN to support log driver awslogs.';
    }
    if (container.secrets?.length) {
      yield "When you are specifying container secrets, you must also specify a value for 'executionRoleArn'.";
    }
    if (container.repositoryCredentials) {
      yield "When you are specifying repositoryCredentials, you must also specify a value for 'executionRoleArn'.";
    }
    if (/\.dkr\.ecr\./.test(container.image ?? '')) {
      yield 'Fargate requires task definition to have execution role ARN to support ECR images.';
    }
  }
}

function* volumeProblems(input: DefinitionInput): Problems {
  const names = new Set<string>();
  for (const volume of input.volumes ?? []) {
    const name = volume.name ?? '';
    if (!/^[A-Za-z0-9_-]{1,255}$/.test(name)) yield `Volume name '${name}' contains invalid characters.`;
    if (names.has(name)) yield `Duplicate volume name '${name}'.`;
    names.add(name);
    if (volume.host?.sourcePath) yield 'Fargate compatible task definitions do not support sourcePath';
    if (volume.dockerVolumeConfiguration) {
      yield 'Fargate compatible task definitions do not support dockerVolumeConfiguration';
    }
    if (volume.fsxWindowsFileServerVolumeConfiguration) {
      yield 'Fargate compatible task definitions do not support fsxWindowsFileServerVolumeConfiguration';
    }
    if (volume.efsVolumeConfiguration && !/^fs-[0-9a-f]+$/.test(volume.efsVolumeConfiguration.fileSystemId ?? '')) {
      yield `Invalid file system id of volume '${name}'.`;
    }
  }
  if ((input.volumes ?? []).filter((volume) => volume.configuredAtLaunch).length > 1) {
    yield 'Only one volume can be configured at launch.';
  }
}

const sum = (values: readonly (number | undefined)[]): number => values.reduce<number>((a, b) => a + (b ?? 0), 0);
