import { awslogsProblems } from './awslogs-rules.ts';
import { dependencyProblems } from './dependency-rules.ts';
import { refusedProblems } from './refused-rules.ts';
import type { ContainerInput, DefinitionInput, Problems } from './schema.ts';

/** Everything that can be wrong with the containers of a Fargate definition. */
export function* containerProblems(input: DefinitionInput): Problems {
  const containers = input.containerDefinitions ?? [];
  const volumes = new Set((input.volumes ?? []).map(({ name }) => name));
  const names = containers.map(({ name }) => name);
  for (const container of containers) {
    yield* identityProblems(container);
    yield* refusedProblems(container);
    yield* memoryProblems(container);
    yield* environmentProblems(container);
    yield* portProblems(container);
    yield* timingProblems(container);
    yield* awslogsProblems(container);
    for (const { sourceVolume = '', containerPath = '' } of container.mountPoints ?? []) {
      if (!volumes.has(sourceVolume)) yield `Unknown volume '${sourceVolume}'.`;
      if (!containerPath.startsWith('/')) yield `Container path '${containerPath}' is not an absolute path.`;
    }
    for (const { sourceContainer = '' } of container.volumesFrom ?? []) {
      if (!names.includes(sourceContainer)) yield `Unknown container '${sourceContainer}' in volumesFrom.`;
    }
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) yield `Container name must be unique within a task definition: '${twice}' appears twice.`;
  if (!containers.some(({ essential }) => essential !== false)) {
    yield 'At least one container in the task definition must be marked essential.';
  }
  yield* dependencyProblems(containers);
}

function* identityProblems({ name, image, user, workingDirectory }: ContainerInput): Problems {
  if (!name) yield 'Container.name should not be null or empty.';
  if (!/^[A-Za-z0-9_-]{1,255}$/.test(name ?? '')) yield 'Container.name contains invalid characters.';
  if (!image) yield 'Container.image should not be null or empty.';
  if (!/^[A-Za-z0-9_\-:./#@]{1,255}$/.test(image ?? '')) yield 'Container.image contains invalid characters.';
  if (user !== undefined && !/^[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?$/.test(user))
    yield `Invalid 'user' for container '${name}'.`;
  if (workingDirectory !== undefined && !workingDirectory.startsWith('/')) {
    yield `Invalid 'workingDirectory' for container '${name}': an absolute path is required.`;
  }
}

function* memoryProblems({ name, cpu, memory, memoryReservation }: ContainerInput): Problems {
  const setting = `Invalid setting for container '${name}'.`;
  if (cpu !== undefined && cpu < 0) yield `${setting} 'cpu' must not be negative.`;
  if (memory !== undefined && memory < 6) yield `${setting} 'memory' must be at least 6 MiB.`;
  if (memoryReservation !== undefined && memoryReservation < 6) {
    yield `${setting} 'memoryReservation' must be at least 6 MiB.`;
  }
  if (memory !== undefined && memoryReservation !== undefined && memoryReservation >= memory) {
    yield `${setting} The value for 'memory' must be greater than the value for 'memoryReservation'.`;
  }
}

function* environmentProblems({ environment, environmentFiles, secrets }: ContainerInput): Problems {
  const names = new Set(environment?.map(({ name }) => name));
  for (const { name } of environment ?? []) {
    if (!name) yield 'Environment variable name should not be null or empty.';
  }
  const secretNames = new Set<string>();
  for (const { name, valueFrom } of secrets ?? []) {
    if (!name || !valueFrom) yield 'Secret name and valueFrom should not be null or empty.';
    if (names.has(name) || secretNames.has(name ?? '')) {
      yield `The secret name must be unique and not shared with any new or existing environment variables set on the container, such as '${name}'.`;
    }
    secretNames.add(name ?? '');
    if (valueFrom?.startsWith('arn:') && !/^arn:[\w-]+:(ssm|secretsmanager):[\w-]+:\d{12}:.+$/.test(valueFrom)) {
      yield 'Invalid arn syntax.';
    }
  }
  if ((environmentFiles?.length ?? 0) > 10) yield 'Too many environment files: at most 10 are allowed.';
}

function* portProblems({ name, portMappings }: ContainerInput): Problems {
  const seen = new Set<string>();
  for (const { containerPort, hostPort, protocol = 'tcp', containerPortRange } of portMappings ?? []) {
    if (containerPort === undefined) {
      if (containerPortRange === undefined) yield `A port mapping of container '${name}' has no containerPort.`;
      continue;
    }
    if (containerPort < 1 || containerPort > 65_535)
      yield `Invalid containerPort ${containerPort} of container '${name}'.`;
    if (hostPort !== undefined && hostPort !== 0 && hostPort !== containerPort) {
      yield 'When networkMode=awsvpc, the host ports and container ports in port mappings must match.';
    }
    if (protocol !== 'tcp' && protocol !== 'udp') yield `Invalid protocol '${protocol}' of container '${name}'.`;
    if (seen.has(`${containerPort}/${protocol}`))
      yield `Duplicate port mapping ${containerPort}/${protocol} of container '${name}'.`;
    seen.add(`${containerPort}/${protocol}`);
  }
}

function* timingProblems({ name, startTimeout, stopTimeout, healthCheck, restartPolicy }: ContainerInput): Problems {
  const within = (what: string, value: number | undefined, from: number, to: number): string | undefined =>
    value === undefined || (value >= from && value <= to)
      ? undefined
      : `Invalid '${what}' for container '${name}': the value must be between ${from} and ${to}.`;
  const { ignoredExitCodes, restartAttemptPeriod } = restartPolicy ?? {};
  const problems = [
    within('startTimeout', startTimeout, 2, 120),
    within('stopTimeout', stopTimeout, 2, 120),
    within('healthCheck.interval', healthCheck?.interval, 5, 300),
    within('healthCheck.timeout', healthCheck?.timeout, 2, 60),
    within('healthCheck.retries', healthCheck?.retries, 1, 10),
    within('healthCheck.startPeriod', healthCheck?.startPeriod, 0, 300),
    within('restartPolicy.restartAttemptPeriod', restartAttemptPeriod, 60, 1800),
    within('restartPolicy.ignoredExitCodes length', ignoredExitCodes?.length, 0, 50),
  ];
  for (const problem of problems) if (problem) yield problem;
  if (restartPolicy && restartPolicy.enabled === undefined)
    yield `restartPolicy of container '${name}' lacks 'enabled'.`;
  if (healthCheck && !healthCheck.command?.length)
    yield `healthCheck.command of container '${name}' should not be empty.`;
  const [form] = healthCheck?.command ?? [];
  if (form !== undefined && !['CMD', 'CMD-SHELL', 'NONE'].includes(form)) {
    yield `healthCheck.command of container '${name}' must start with CMD or CMD-SHELL.`;
  }
  if (healthCheck?.command && form !== 'NONE' && healthCheck.command.length < 2) {
    yield `healthCheck.command of container '${name}' names no command.`;
  }
}
