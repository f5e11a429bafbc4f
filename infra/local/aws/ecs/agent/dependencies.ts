import type { TaskDefinition } from '../definitions/definition.ts';
import type { ContainerRecord, TaskRecord } from '../tasks/task-record.ts';

/** What the agent knows of a container besides its record. */
export interface Progress {
  readonly startedAt?: number;
  /** Starts after the first. */
  readonly restarts: number;
}

export type Verdict =
  | { readonly kind: 'ready' }
  /** `until` is when waiting becomes hopeless by itself. */
  | { readonly kind: 'wait'; readonly until?: number }
  | { readonly kind: 'hopeless'; readonly reason: string };

type Container = TaskDefinition['containers'][number];

/** May `target` start? Rules and words of the ECS agent's dependency graph. */
export const dependencyVerdict = (
  task: TaskRecord,
  target: Container,
  progress: ReadonlyMap<string, Progress>,
  now: number,
): Verdict => {
  let until: number | undefined;
  let waits = false;
  for (const { containerName = '', condition = '' } of target.dependsOn ?? []) {
    const record = task.containers.find(({ name }) => name === containerName);
    const definition = task.definition.containers.find(({ name }) => name === containerName);
    if (!record || !definition) continue;
    if (isMet(record, condition)) continue;
    const failure = hopelessness(record, condition);
    if (failure) return hopeless(record, target, failure);
    const startedAt = progress.get(containerName)?.startedAt;
    if (definition.startTimeout !== undefined && startedAt !== undefined && condition !== 'START') {
      const deadline = startedAt + definition.startTimeout * 1000;
      if (now >= deadline) return hopeless(record, target, 'dependency timed out');
      until = Math.min(until ?? deadline, deadline);
    }
    waits = true;
  }
  return waits ? { kind: 'wait', ...(until !== undefined && { until }) } : { kind: 'ready' };
};

const isMet = ({ lastStatus, exitCode, health }: ContainerRecord, condition: string): boolean => {
  const ran = lastStatus === 'STOPPED' && exitCode !== undefined;
  switch (condition) {
    case 'START':
      return lastStatus === 'RUNNING' || ran;
    case 'COMPLETE':
      return ran;
    case 'SUCCESS':
      return ran && exitCode === 0;
    case 'HEALTHY':
      return lastStatus === 'RUNNING' && health === 'HEALTHY';
    default:
      return false;
  }
};

const hopelessness = ({ lastStatus, exitCode }: ContainerRecord, condition: string): string | undefined => {
  if (lastStatus !== 'STOPPED') return undefined;
  if (exitCode === undefined) return 'dependency container failed to start';
  return condition === 'SUCCESS' ? 'dependency did not exit successfully' : 'dependency has already stopped';
};

const hopeless = (record: ContainerRecord, target: Container, failure: string): Verdict => ({
  kind: 'hopeless',
  reason: `CannotStartContainerError: dependency graph: failed to resolve container ordering dependency [${record.name}] for target [${target.name}] as ${failure}.`,
});

/** The containers that wait for `name` and must therefore be stopped before it. */
export const dependantsOf = (definition: TaskDefinition, name: string): readonly string[] =>
  definition.containers
    .filter(({ dependsOn }) => dependsOn?.some(({ containerName }) => containerName === name))
    .map((container) => container.name);
