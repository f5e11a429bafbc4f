import type { ContainerInput, Problems } from './schema.ts';

/** What a container may ask of EC2 but not of Fargate (developer guide, "task definition differences for Fargate"). */
export function* refusedProblems(container: ContainerInput): Problems {
  const { linuxParameters: linux } = container;
  const refuse = (what: string): string => `Fargate compatible task definitions do not support ${what}`;
  if (container.privileged) yield refuse('privileged');
  if (container.dockerSecurityOptions?.length) yield refuse('dockerSecurityOptions');
  if (container.disableNetworking) yield refuse('disableNetworking');
  if (container.links?.length) yield 'Links are not supported when networkMode=awsvpc.';
  if (container.hostname) yield 'Hostname is not supported on container when networkMode=awsvpc.';
  if (container.dnsServers?.length) yield 'DNS servers are not supported on container when networkMode=awsvpc.';
  if (container.dnsSearchDomains?.length) {
    yield 'DNS search domains are not supported on container when networkMode=awsvpc.';
  }
  if (container.extraHosts?.length) yield 'Extra hosts are not supported on container when networkMode=awsvpc.';
  if (linux?.devices?.length) yield refuse('devices');
  if (linux?.sharedMemorySize) yield refuse('sharedMemorySize');
  if (linux?.tmpfs?.length) yield refuse('tmpfs');
  if (linux?.maxSwap !== undefined) yield refuse('maxSwap');
  if (linux?.swappiness !== undefined) yield refuse('swappiness');
  for (const capability of linux?.capabilities?.add ?? []) {
    if (capability !== 'SYS_PTRACE') yield refuse(`adding Linux capability ${capability}`);
  }
  for (const { type } of container.resourceRequirements ?? []) {
    if (type === 'GPU') yield 'Tasks using the Fargate launch type do not support GPU resource requirements.';
  }
  for (const { name, hardLimit = 0, softLimit = 0 } of container.ulimits ?? []) {
    if (name !== 'nofile') yield refuse(`ulimit ${name}`);
    if (softLimit > hardLimit || hardLimit > 1_048_576) yield 'Invalid ulimit nofile: soft <= hard <= 1048576.';
  }
  for (const { namespace = '' } of container.systemControls ?? []) {
    if (
      !/^(net\.|kernel\.(msgmax|msgmnb|msgmni|sem|shmall|shmmax|shmmni|shm_rmid_forced)$|fs\.mqueue\.)/.test(namespace)
    ) {
      yield refuse(`system control ${namespace}`);
    }
  }
}
