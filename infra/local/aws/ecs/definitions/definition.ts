import type { Tag } from '../tags.ts';
import type { ContainerInput, DefinitionInput } from './schema.ts';

type Named = ContainerInput & { readonly name: string; readonly image: string; readonly essential: boolean };

/** One revision of a family, as it was accepted. */
export interface TaskDefinition {
  readonly arn: string;
  readonly family: string;
  readonly revision: number;
  readonly status: 'ACTIVE' | 'INACTIVE' | 'DELETE_IN_PROGRESS';
  readonly cpu: string;
  readonly memory: string;
  /** What was sent, without tags. */
  readonly input: Omit<DefinitionInput, 'tags'>;
  readonly containers: readonly Named[];
  readonly tags: readonly Tag[];
  readonly registeredAt: number;
  readonly registeredBy: string;
  readonly deregisteredAt?: number;
  readonly deleteRequestedAt?: number;
}

/** `DescribeTaskDefinition`'s shape, with the defaults the service fills in. */
export const definitionShape = (definition: TaskDefinition): Record<string, unknown> => ({
  taskDefinitionArn: definition.arn,
  ...definition.input,
  containerDefinitions: definition.containers.map(containerShape),
  revision: definition.revision,
  volumes: definition.input.volumes ?? [],
  status: definition.status,
  requiresAttributes: [
    { name: 'com.amazonaws.ecs.capability.docker-remote-api.1.18' },
    { name: 'ecs.capability.task-eni' },
  ],
  placementConstraints: [],
  compatibilities: ['EC2', 'FARGATE'],
  cpu: definition.cpu,
  memory: definition.memory,
  registeredAt: definition.registeredAt / 1000,
  ...(definition.deregisteredAt !== undefined && { deregisteredAt: definition.deregisteredAt / 1000 }),
  ...(definition.deleteRequestedAt !== undefined && { deleteRequestedAt: definition.deleteRequestedAt / 1000 }),
  registeredBy: definition.registeredBy,
});

const containerShape = (container: Named): Record<string, unknown> => ({
  ...container,
  cpu: container.cpu ?? 0,
  environment: container.environment ?? [],
  mountPoints: container.mountPoints ?? [],
  volumesFrom: container.volumesFrom ?? [],
  systemControls: container.systemControls ?? [],
  portMappings: (container.portMappings ?? []).map((mapping) => ({
    ...mapping,
    ...(mapping.containerPort !== undefined && { hostPort: mapping.containerPort }),
    protocol: mapping.protocol ?? 'tcp',
  })),
});
