import type { ContainerDefinition, RegisterTaskDefinitionCommandInput } from '@aws-sdk/client-ecs';
import { sha256Hex, stableJson } from '../../../core/digest.ts';
import type { PodSpec } from '../../../model/kubernetes.ts';
import type { FargateDeployment } from '../deployment.ts';
import type { Placement } from './profile.ts';
import type { ResourceNeed } from './resource-need.ts';
import type { TaskSize } from './task-size.ts';

/** What is decided before anything is rendered. */
export interface TaskFrame {
  readonly placement: Placement;
  readonly size: TaskSize;
  readonly need: ResourceNeed;
}

/** The definition and the hash of its content, which is also the end of its family. */
export const taskDefinition = (
  spec: PodSpec,
  containers: readonly ContainerDefinition[],
  { placement, size, need: { storageGiB } }: TaskFrame,
  { deployment, executionRoleArn, taskRoleArn }: FargateDeployment,
): { readonly definition: RegisterTaskDefinitionCommandInput; readonly definitionHash: string } => {
  const content: Omit<RegisterTaskDefinitionCommandInput, 'family'> = {
    networkMode: 'awsvpc',
    requiresCompatibilities: ['FARGATE'],
    runtimePlatform: {
      cpuArchitecture: placement.architecture === 'arm64' ? 'ARM64' : 'X86_64',
      operatingSystemFamily: 'LINUX',
    },
    cpu: String(size.cpuUnits),
    memory: String(size.memoryMiB),
    ...(storageGiB !== undefined && { ephemeralStorage: { sizeInGiB: Math.max(storageGiB, 21) } }),
    ...(spec.shareProcessNamespace === true && { pidMode: 'task' }),
    executionRoleArn,
    ...(taskRoleArn !== undefined && { taskRoleArn }),
    containerDefinitions: [...containers],
  };
  const definitionHash = sha256Hex(stableJson(content), 32);
  return { definition: { family: `svk-${deployment}-${definitionHash}`, ...content }, definitionHash };
};
