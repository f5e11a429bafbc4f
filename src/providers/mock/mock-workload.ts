import type { Container, Pod } from '../../model/kubernetes.ts';
import type { LaunchToken } from '../../model/launch.ts';
import type { Workload, WorkloadContainer } from '../../model/workload.ts';
import type { LocalEnd, LocalProcess } from './local/local-machine.ts';

/** A container as the mock remembers it. An `init` one has done its work by the time the pod runs. */
export interface MockContainer {
  readonly name: string;
  readonly image: string;
  readonly kind: 'init' | 'main';
  /** What it runs, where the mock runs anything. */
  readonly process?: LocalProcess;
}

/** The containers of a pod in the order kubelet starts them; init containers that restart for ever are side-cars. */
export const containersOf = ({ spec }: Pod): readonly MockContainer[] => [
  ...(spec?.initContainers ?? []).map((one) => toContainer(one, one.restartPolicy === 'Always' ? 'main' : 'init')),
  ...(spec?.containers ?? []).map((one) => toContainer(one, 'main')),
];

/** The same with what they run. */
export const containersWithProcesses = (pod: Pod): readonly MockContainer[] => {
  const all = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const processes = new Map(all.map((container) => [container.name, processOf(container)]));
  return containersOf(pod).map((container) => {
    const process = container.kind === 'main' ? processes.get(container.name) : undefined;
    return process === undefined ? container : { ...container, process };
  });
};

const processOf = ({
  command = [],
  args = [],
  stdin = false,
  stdinOnce = false,
}: Container): LocalProcess | undefined =>
  command.length === 0 ? undefined : { command: [...command, ...args], stdin, stdinOnce };

const toContainer = ({ name, image = '' }: Container, kind: MockContainer['kind']): MockContainer => ({
  name,
  image,
  kind,
});

/** The address of every pod of virtual-kubelet's mock. */
const POD_IP = '5.6.7.8';

/** A workload that runs from the moment it is made, as virtual-kubelet's mock does. */
export const runningWorkload = (
  id: string,
  token: LaunchToken,
  containers: readonly MockContainer[],
  now: number,
): Workload => ({
  id,
  ...token,
  version: 1,
  phase: 'running',
  stopping: false,
  ips: [POD_IP],
  createdAt: now,
  startedAt: now,
  containers: containers.map(({ name, image, kind }) => ({
    name,
    image,
    containerId: `${id}/${name}`,
    ...(kind === 'init' ? DONE : { state: 'running' }),
  })),
});

const DONE = { state: 'terminated', exitCode: 0 } as const;

/** The workload after a stop: over at once, its containers ended with virtual-kubelet's reason and exit code 0. */
export const deletedWorkload = (workload: Workload, message: string, now: number): Workload => ({
  ...workload,
  version: workload.version + 1,
  phase: 'stopped',
  stopping: true,
  endedAt: now,
  stoppedAt: now,
  end: { kind: 'requested', reason: 'MockProviderPodDeleted', message },
  containers: workload.containers.map(deletedContainer),
});

const deletedContainer = (container: WorkloadContainer): WorkloadContainer =>
  container.state === 'terminated'
    ? container
    : {
        ...container,
        state: 'terminated',
        exitCode: 0,
        reason: 'MockProviderPodContainerDeleted',
        message: 'Mock provider terminated container upon deletion',
      };

/** The workload after one of its processes has ended by itself; over once all of them have. */
export const withEnded = (workload: Workload, name: string, { exitCode, message }: LocalEnd, now: number): Workload => {
  const containers = workload.containers.map((container) =>
    container.name === name && container.state !== 'terminated'
      ? { ...container, state: 'terminated' as const, exitCode, ...(message !== undefined && { message }) }
      : container,
  );
  const isOver = containers.every(({ state }) => state === 'terminated');
  return {
    ...workload,
    version: workload.version + 1,
    containers,
    ...(isOver && { phase: 'stopped', endedAt: now, stoppedAt: now, end: EXITED }),
  };
};

const EXITED = { kind: 'exited', reason: 'Completed', message: 'every container has ended' } as const;
