import * as z from 'zod/mini';
import { tagsSchema } from '../tags.ts';

const text = z.optional(z.string());
const whole = z.optional(z.int());
const flag = z.optional(z.boolean());
const texts = z.optional(z.array(z.string()));
const pair = z.object({ name: text, value: text });

const linuxParameters = z.object({
  capabilities: z.optional(z.object({ add: texts, drop: texts })),
  devices: z.optional(z.array(z.unknown())),
  initProcessEnabled: flag,
  sharedMemorySize: whole,
  tmpfs: z.optional(z.array(z.unknown())),
  maxSwap: whole,
  swappiness: whole,
});

/** A container of a task definition. Members the service does not know are ignored, as it ignores them. */
export const containerSchema = z.object({
  name: text,
  image: text,
  cpu: whole,
  memory: whole,
  memoryReservation: whole,
  essential: flag,
  entryPoint: texts,
  command: texts,
  workingDirectory: text,
  user: text,
  environment: z.optional(z.array(pair)),
  environmentFiles: z.optional(z.array(z.object({ value: text, type: text }))),
  secrets: z.optional(z.array(z.object({ name: text, valueFrom: text }))),
  portMappings: z.optional(
    z.array(
      z.object({
        containerPort: whole,
        hostPort: whole,
        protocol: text,
        name: text,
        appProtocol: text,
        containerPortRange: text,
      }),
    ),
  ),
  mountPoints: z.optional(z.array(z.object({ sourceVolume: text, containerPath: text, readOnly: flag }))),
  volumesFrom: z.optional(z.array(z.object({ sourceContainer: text, readOnly: flag }))),
  linuxParameters: z.optional(linuxParameters),
  dependsOn: z.optional(z.array(z.object({ containerName: text, condition: text }))),
  startTimeout: whole,
  stopTimeout: whole,
  restartPolicy: z.optional(
    z.object({ enabled: flag, ignoredExitCodes: z.optional(z.array(z.int())), restartAttemptPeriod: whole }),
  ),
  hostname: text,
  links: texts,
  privileged: flag,
  readonlyRootFilesystem: flag,
  disableNetworking: flag,
  dnsServers: texts,
  dnsSearchDomains: texts,
  extraHosts: z.optional(z.array(z.object({ hostname: text, ipAddress: text }))),
  dockerSecurityOptions: texts,
  interactive: flag,
  pseudoTerminal: flag,
  dockerLabels: z.optional(z.record(z.string(), z.string())),
  ulimits: z.optional(z.array(z.object({ name: text, softLimit: whole, hardLimit: whole }))),
  logConfiguration: z.optional(
    z.object({
      logDriver: text,
      options: z.optional(z.record(z.string(), z.string())),
      secretOptions: z.optional(z.array(z.object({ name: text, valueFrom: text }))),
    }),
  ),
  healthCheck: z.optional(
    z.object({ command: texts, interval: whole, timeout: whole, retries: whole, startPeriod: whole }),
  ),
  systemControls: z.optional(z.array(z.object({ namespace: text, value: text }))),
  resourceRequirements: z.optional(z.array(z.object({ type: text, value: text }))),
  firelensConfiguration: z.optional(z.object({ type: text, options: z.optional(z.record(z.string(), z.string())) })),
  repositoryCredentials: z.optional(z.object({ credentialsParameter: text })),
  versionConsistency: text,
});

const volumeSchema = z.object({
  name: text,
  host: z.optional(z.object({ sourcePath: text })),
  dockerVolumeConfiguration: z.optional(z.looseObject({})),
  efsVolumeConfiguration: z.optional(z.looseObject({ fileSystemId: text })),
  fsxWindowsFileServerVolumeConfiguration: z.optional(z.looseObject({})),
  configuredAtLaunch: flag,
});

/** The input of RegisterTaskDefinition. */
export const definitionSchema = z.object({
  family: text,
  taskRoleArn: text,
  executionRoleArn: text,
  networkMode: text,
  containerDefinitions: z.optional(z.array(containerSchema)),
  volumes: z.optional(z.array(volumeSchema)),
  placementConstraints: z.optional(z.array(z.unknown())),
  requiresCompatibilities: texts,
  cpu: text,
  memory: text,
  tags: z.optional(tagsSchema),
  pidMode: text,
  ipcMode: text,
  ephemeralStorage: z.optional(z.object({ sizeInGiB: whole })),
  runtimePlatform: z.optional(z.object({ cpuArchitecture: text, operatingSystemFamily: text })),
  enableFaultInjection: flag,
});

export type DefinitionInput = z.output<typeof definitionSchema>;
export type ContainerInput = z.output<typeof containerSchema>;

/** Problems in the words of the service, the first of which is the answer. */
export type Problems = Generator<string, void>;
