import * as z from 'zod/mini';
import { invalidParameter } from '../../service-error.ts';
import type { TaskDefinition } from '../definitions/definition.ts';
import { cpuUnitsOf, fargateSizeProblem, memoryMiBOf } from '../definitions/fargate-sizes.ts';

const text = z.optional(z.string());

/** `overrides` of RunTask. */
export const overrideSchema = z.object({
  containerOverrides: z.optional(
    z.array(
      z.object({
        name: text,
        command: z.optional(z.array(z.string())),
        environment: z.optional(z.array(z.object({ name: text, value: text }))),
        environmentFiles: z.optional(z.array(z.object({ value: text, type: text }))),
        cpu: z.optional(z.int()),
        memory: z.optional(z.int()),
        memoryReservation: z.optional(z.int()),
        resourceRequirements: z.optional(z.array(z.unknown())),
      }),
    ),
  ),
  inferenceAcceleratorOverrides: z.optional(z.array(z.unknown())),
  cpu: text,
  memory: text,
  executionRoleArn: text,
  taskRoleArn: text,
  ephemeralStorage: z.optional(z.object({ sizeInGiB: z.optional(z.int()) })),
});

export type TaskOverride = z.output<typeof overrideSchema>;

export interface Sized {
  readonly cpu: string;
  readonly memory: string;
  readonly ephemeralStorageGiB: number;
}

/** The sizes of the task after its overrides. @throws {AwsError} InvalidParameterException where they cannot be applied. */
export const applyOverrides = (definition: TaskDefinition, overrides: TaskOverride): Sized => {
  if (JSON.stringify(overrides).length > 8192)
    throw invalidParameter('Container Overrides length must be at most 8192.');
  for (const override of overrides.containerOverrides ?? []) {
    const container = definition.containers.find(({ name }) => name === override.name);
    if (!container) {
      throw invalidParameter(`Override for container named ${override.name} is not a container in the TaskDefinition.`);
    }
    const secretNames = new Set(container.secrets?.map(({ name }) => name));
    const shared = override.environment?.find(({ name }) => secretNames.has(name));
    if (shared) {
      throw invalidParameter(
        `The secret name must be unique and not shared with any new or existing environment variables set on the container, such as '${shared.name}'.`,
      );
    }
  }
  const cpu = overrides.cpu ?? definition.cpu;
  const memory = overrides.memory ?? definition.memory;
  const problem = fargateSizeProblem(cpu, memory);
  if (problem) throw invalidParameter(problem);
  const storage = overrides.ephemeralStorage?.sizeInGiB ?? definition.input.ephemeralStorage?.sizeInGiB;
  if (storage !== undefined && (storage < 21 || storage > 200)) {
    throw invalidParameter('Invalid ephemeral storage size: sizeInGiB must be between 21 and 200.');
  }
  return { cpu: String(cpuUnitsOf(cpu)), memory: String(memoryMiBOf(memory)), ephemeralStorageGiB: storage ?? 20 };
};
