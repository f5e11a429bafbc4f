import type { Attempt } from '../../src/model/attempt.ts';
import type { Workload, WorkloadContainer } from '../../src/model/workload.ts';

/** When most tests happen. */
export const NOW = Date.parse('2030-01-01T12:00:00Z');
export const seconds = (count: number): number => count * 1_000;
export const minutes = (count: number): number => count * 60_000;

/** A workload as a provider would report it: `task-1`, running since a minute ago. */
export const aWorkload = (wish: Partial<Workload> = {}): Workload => ({
  id: `task-${wish.attempt ?? 1}`,
  podUid: 'uid-1',
  attempt: 1,
  try: 1,
  version: 5,
  phase: 'running',
  stopping: false,
  ips: ['10.0.0.7'],
  createdAt: NOW - minutes(2),
  startedAt: NOW - minutes(1),
  containers: [aContainer()],
  ...wish,
});

export const aContainer = (wish: Partial<WorkloadContainer> = {}): WorkloadContainer => ({
  name: 'main',
  state: 'running',
  containerId: 'fargate://task-1/main',
  ...wish,
});

/** Stopped at NOW, its container with this exit code (undefined: none was reported). */
export const aStopped = (exitCode: number | undefined, wish: Partial<Workload> = {}): Workload =>
  aWorkload({
    phase: 'stopped',
    stopping: true,
    version: 9,
    endedAt: NOW,
    stoppedAt: NOW,
    end: { kind: 'exited', reason: 'Exited', message: 'Essential container in task exited' },
    containers: [aContainer({ state: 'terminated', ...(exitCode !== undefined && { exitCode }) })],
    ...wish,
  });

/** The attempt this workload belongs to, seen at NOW. */
export const anAttempt = (workload: Workload, wish: Partial<Attempt> = {}): Attempt => ({
  attempt: workload.attempt,
  try: workload.try,
  workloadId: workload.id,
  launchedAt: workload.createdAt ?? NOW,
  observed: workload,
  seenAt: NOW,
  ...wish,
});
