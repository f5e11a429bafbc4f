import type { ContainerSpec, TaskSpec } from '../runtime.ts';

/** What the engine and the task give to each of its containers. */
export interface Surroundings {
  readonly task: TaskSpec;
  /** The container that holds the task's network, host name and, where shared, process ids. */
  readonly pauseId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Names of the engine's volumes, by the task's names. */
  readonly volumes: ReadonlyMap<string, string>;
  /** Ids of the containers whose volumes may be taken over, by name. */
  readonly containers: ReadonlyMap<string, string>;
  /** CPUs of the engine's machine. */
  readonly cpus: number;
  /** For containers that ask for nothing; undefined: as many as the engine gives. */
  readonly openFiles?: OpenFiles | undefined;
}

type OpenFiles = NonNullable<ContainerSpec['openFiles']>;

const mebibyte = 1_048_576;

/** As the engine wants it; empty where nothing is asked for. */
export const ulimitsOf = (openFiles: OpenFiles | undefined): readonly Record<string, unknown>[] =>
  openFiles ? [{ Name: 'nofile', Soft: openFiles.soft, Hard: openFiles.hard }] : [];

/**
 * The body of the engine's "create a container". A container without a limit of its own may use all of its task's memory
 * and CPUs, as on Fargate; there is no swap. The image's own health check is ignored, as ECS ignores it.
 */
export const containerSettings = (spec: ContainerSpec, around: Surroundings): Record<string, unknown> => {
  const { task, pauseId, labels, volumes, containers, cpus } = around;
  const memory = (spec.memoryMiB ?? task.memoryMiB) * mebibyte;
  return {
    Image: spec.image,
    Env: Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
    ...(spec.entryPoint && { Entrypoint: spec.entryPoint }),
    ...(spec.command && { Cmd: spec.command }),
    ...(spec.workingDirectory !== undefined && { WorkingDir: spec.workingDirectory }),
    ...(spec.user !== undefined && { User: spec.user }),
    Labels: { ...spec.labels, ...labels },
    Healthcheck: { Test: ['NONE'] },
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: spec.stdin,
    Tty: spec.tty,
    HostConfig: {
      NetworkMode: `container:${pauseId}`,
      ...(task.sharedPids && { PidMode: `container:${pauseId}` }),
      Memory: memory,
      MemorySwap: memory,
      ...(spec.memoryReservationMiB !== undefined && { MemoryReservation: spec.memoryReservationMiB * mebibyte }),
      // Two is the least the kernel takes, and what the agent writes for none.
      CpuShares: Math.max(2, spec.cpuShares),
      NanoCpus: Math.round(Math.min(task.cpuUnits / 1024, cpus) * 1e9),
      ReadonlyRootfs: spec.readOnlyRoot,
      CapAdd: spec.addCapabilities,
      CapDrop: spec.dropCapabilities,
      Init: spec.initProcess,
      Ulimits: ulimitsOf(spec.openFiles ?? around.openFiles),
      Sysctls: spec.sysctls,
      Mounts: spec.mounts.map(({ volume, path, readOnly }) => ({
        Type: 'volume',
        Source: volumes.get(volume) ?? volume,
        Target: path,
        ReadOnly: readOnly,
      })),
      VolumesFrom: spec.mountsFrom.map(
        ({ container, readOnly }) => `${containers.get(container) ?? container}:${readOnly ? 'ro' : 'rw'}`,
      ),
      // Output is read by whoever is attached; nothing is kept on the engine's disk.
      LogConfig: { Type: 'none' },
      RestartPolicy: { Name: 'no' },
    },
  };
};
