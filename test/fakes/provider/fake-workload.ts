import type { LaunchToken } from '../../../src/model/launch.ts';
import type { Workload, WorkloadContainer, WorkloadEnd } from '../../../src/model/workload.ts';

/** What a fake workload's containers end with: one exit code for all, or one by container name. */
export type ExitCodes = number | Readonly<Record<string, number>>;

/** The next state of a workload, always with the next version. */
export const withChange = (workload: Workload, change: Partial<Workload>): Workload => ({
  ...workload,
  ...change,
  version: workload.version + 1,
});

/** Every container in the same state, keeping name and image. */
export const allContainers = (
  workload: Workload,
  change: (container: WorkloadContainer) => Omit<WorkloadContainer, 'name'>,
): readonly WorkloadContainer[] =>
  workload.containers.map((container) => ({ ...container, ...change(container), name: container.name }));

/** As a launch leaves it: nothing has been pulled, nothing runs. */
export const startingWorkload = (
  id: string,
  token: LaunchToken,
  containers: readonly Pick<WorkloadContainer, 'name' | 'image'>[],
  createdAt: number,
): Workload => ({
  id,
  podUid: token.podUid,
  attempt: token.attempt,
  try: token.try,
  version: 1,
  phase: 'starting',
  stopping: false,
  ips: [],
  createdAt,
  containers: containers.map((container) => ({ ...container, state: 'waiting' })),
});

/** Stopped at `at`. Containers without an exit code in `exitCodes` end without one, as the real provider's may. */
export const stoppedWorkload = (
  workload: Workload,
  at: number,
  end: WorkloadEnd,
  exitCodes: ExitCodes | undefined,
): Workload =>
  withChange(workload, {
    phase: 'stopped',
    stopping: true,
    endedAt: at,
    stoppedAt: at,
    end: workload.end?.kind === 'requested' ? workload.end : end,
    containers: allContainers(workload, ({ name }) => {
      const exitCode = typeof exitCodes === 'number' ? exitCodes : exitCodes?.[name];
      return { state: 'terminated', ...(exitCode === undefined ? {} : { exitCode }) };
    }),
  });
