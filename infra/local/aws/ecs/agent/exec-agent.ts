import type { ContainerSpec, RunningContainer } from '../../../runtimes/runtime.ts';
import type { EcsContext } from '../context.ts';
import type { ExecAgent } from '../tasks/task-record.ts';
import { aborted } from './bell.ts';

interface Options {
  readonly context: Pick<EcsContext, 'clock' | 'delays'>;
  readonly spec: ContainerSpec;
  readonly running: RunningContainer;
  /** Aborts when the container has ended. */
  readonly signal: AbortSignal;
  readonly report: (agent: ExecAgent) => void;
}

/** The execute command agent comes up a while after its container and ends with it. Resolves when it has. */
export const watchExecAgent = async ({ context, spec, running, signal, report }: Options): Promise<void> => {
  const obstacle = obstacleTo(spec, running);
  if (obstacle !== undefined) return report({ lastStatus: 'STOPPED', reason: obstacle });
  try {
    await context.clock.sleep(context.delays.execAgent, signal);
    const lastStartedAt = context.clock.now();
    report({ lastStatus: 'RUNNING', lastStartedAt });
    await aborted(signal);
    report({ lastStatus: 'STOPPED', lastStartedAt });
  } catch (error) {
    if (!signal.aborted) throw error;
    report({ lastStatus: 'STOPPED' });
  }
};

/** What keeps the agent from working (developer guide, "Using Amazon ECS Exec", considerations). */
const obstacleTo = ({ readOnlyRoot, environment }: ContainerSpec, running: RunningContainer): string | undefined => {
  if (!running.openTerminal) return 'This runtime of the local ECS has no execute command agent.';
  if (readOnlyRoot) return 'The agent cannot write to the read-only root file system.';
  const credential = ['AWS_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].find((name) => environment[name]);
  return credential === undefined
    ? undefined
    : `${credential} in the environment replaces the task role's credentials.`;
};
