import type { ContainerDefinition, PortMapping } from '@aws-sdk/client-ecs';
import { toMebi, ZERO } from '../../../core/quantity.ts';
import type { Container, PodSpec } from '../../../model/kubernetes.ts';
import { type FargateDeployment, LOG_STREAM_PREFIX, regionOf } from '../deployment.ts';
import { capabilityChanges } from './capabilities.ts';
import type { Delivery } from './delivery.ts';
import { healthCheckOf } from './health-check.ts';
import { stopTimeoutSeconds } from './pod-rules.ts';
import { quantityOf, toCpuUnits } from './resource-need.ts';
import { userOf } from './security-rules.ts';

/** Docker's own least memory limit. */
const LEAST_MEMORY_MIB = 6;

/** The container of a pod that was not refused. Fields the pod leaves out are left out. */
export const containerDefinition = (
  container: Container,
  spec: PodSpec,
  delivery: Delivery & { readonly login?: string | undefined },
  deployment: Pick<FargateDeployment, 'clusterArn' | 'logGroup'>,
): ContainerDefinition => {
  const { name, image, ports = [], workingDir, securityContext = {}, stdin, tty } = container;
  const { add, drop } = capabilityChanges(securityContext.capabilities ?? {});
  const user = userOf(container, spec);
  const healthCheck = healthCheckOf(container);
  const sysctls = spec.securityContext?.sysctls ?? [];
  return {
    name,
    image,
    ...(delivery.login !== undefined && { repositoryCredentials: { credentialsParameter: delivery.login } }),
    essential: true,
    ...containerShares(container),
    ...(delivery.entryPoint && { entryPoint: [...delivery.entryPoint] }),
    ...(delivery.command && { command: [...delivery.command] }),
    ...(workingDir && { workingDirectory: workingDir }),
    ...(delivery.environment.length > 0 && { environment: [...delivery.environment] }),
    ...(delivery.secrets.length > 0 && {
      secrets: delivery.secrets.map((secret) => ({ name: secret.name, valueFrom: secret.path })),
    }),
    ...(ports.length > 0 && { portMappings: portMappings(ports) }),
    ...(user !== undefined && { user }),
    ...(securityContext.readOnlyRootFilesystem === true && { readonlyRootFilesystem: true }),
    ...((add.length > 0 || drop.length > 0) && {
      linuxParameters: {
        capabilities: { ...(add.length > 0 && { add }), ...(drop.length > 0 && { drop }) },
      },
    }),
    ...(sysctls.length > 0 && {
      systemControls: sysctls.map((sysctl) => ({ namespace: sysctl.name, value: sysctl.value })),
    }),
    ...(stdin === true && { interactive: true }),
    ...(tty === true && { pseudoTerminal: true }),
    ...(healthCheck && { healthCheck }),
    stopTimeout: stopTimeoutSeconds(spec),
    logConfiguration: {
      logDriver: 'awslogs',
      options: {
        'awslogs-group': deployment.logGroup,
        'awslogs-region': regionOf(deployment.clusterArn),
        'awslogs-stream-prefix': LOG_STREAM_PREFIX,
        // A kubelet loses no line. The price is the same as there when the disk is full: a container whose log cannot
        // be taken away waits in its next write.
        mode: 'blocking',
      },
    },
  };
};

/** The request is a share of CPU and a reservation of memory, the limit of memory is hard; no limit is invented. */
const containerShares = ({
  resources,
}: Container): Pick<ContainerDefinition, 'cpu' | 'memory' | 'memoryReservation'> => {
  const cpu = toCpuUnits(quantityOf(resources?.requests?.cpu) ?? ZERO);
  const limit = atLeast(toMebi(quantityOf(resources?.limits?.memory) ?? ZERO));
  const request = atLeast(toMebi(quantityOf(resources?.requests?.memory) ?? ZERO));
  return {
    ...(cpu > 0 && { cpu }),
    ...(limit > 0 && { memory: limit }),
    ...(request > 0 && (limit === 0 || request < limit) && { memoryReservation: request }),
  };
};

const atLeast = (memoryMiB: number): number => (memoryMiB > 0 ? Math.max(memoryMiB, LEAST_MEMORY_MIB) : 0);

const portMappings = (ports: NonNullable<Container['ports']>): PortMapping[] => {
  const distinct = new Map(
    ports.map(({ containerPort, protocol = 'TCP' }) => [
      `${containerPort}/${protocol}`,
      { containerPort, protocol: protocol === 'UDP' ? 'udp' : 'tcp' } satisfies PortMapping,
    ]),
  );
  return [...distinct.values()];
};
