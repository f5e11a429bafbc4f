import {
  type ContainerExit,
  type ContainerSpec,
  type RunningContainer,
  StartFailure,
  type TaskSandbox,
} from '../../../runtimes/runtime.ts';
import type { EcsContext } from '../context.ts';
import type { TaskDefinition } from '../definitions/definition.ts';
import type { ContainerRecord, ExecAgent, TaskRecord } from '../tasks/task-record.ts';
import type { ContainerView } from './agents.ts';
import { logDriverOf } from './awslogs-driver.ts';
import type { Bell } from './bell.ts';
import { dependencyVerdict, type Progress } from './dependencies.ts';
import { watchExecAgent } from './exec-agent.ts';
import { watchHealth } from './health-check.ts';

/** What a container's agent needs from its task's. */
export interface TaskSide {
  readonly context: EcsContext;
  readonly sandbox: TaskSandbox;
  /** Rings at each change of a container of the task. */
  readonly bell: Bell;
  readonly progress: Map<string, Progress>;
  /** Aborts when the task is to stop. */
  readonly stopping: AbortSignal;
  /** Aborts when the emulator closes. */
  readonly closed: AbortSignal;
  readonly task: () => TaskRecord;
  readonly change: (name: string, patch: Partial<ContainerRecord>) => void;
  readonly amend: (name: string, patch: Partial<ContainerRecord>) => void;
}

/** SIGTERM comes as a wish; SIGKILL after this many seconds unless `stopTimeout` says otherwise. */
const defaultStopTimeoutSeconds = 30;

/** Takes one container from waiting for its dependencies to its end. */
export class ContainerAgent {
  readonly name: string;
  readonly #side: TaskSide;
  readonly #definition: TaskDefinition['containers'][number];
  readonly #spec: ContainerSpec;
  #running: RunningContainer | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(side: TaskSide, definition: TaskDefinition['containers'][number], spec: ContainerSpec) {
    this.name = definition.name;
    this.#side = side;
    this.#definition = definition;
    this.#spec = spec;
  }

  start(): void {
    this.#ended = this.#run();
  }

  get view(): ContainerView {
    const { startedAt, restarts = 0 } = this.#side.progress.get(this.name) ?? {};
    const running = this.#running;
    const openTerminal = running?.openTerminal?.bind(running);
    return {
      ...(startedAt !== undefined && { startedAt }),
      restarts,
      ...(openTerminal && { openTerminal }),
      stats: async (signal) => this.#running?.stats?.(signal),
      usage: async (signal) => this.#running?.usage?.(signal),
    };
  }

  /** Resolves when nothing of the container runs any more. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** SIGTERM, and SIGKILL when `stopTimeout` is over. Resolves when it has ended. */
  async stop(): Promise<void> {
    const { context, closed } = this.#side;
    const over = new AbortController();
    const ended = this.#ended.finally(() => over.abort(new Error('the container has ended')));
    this.#running?.terminate();
    const patience = (this.#definition.stopTimeout ?? defaultStopTimeoutSeconds) * 1000;
    void context.clock.sleep(patience, AbortSignal.any([closed, over.signal])).then(
      () => this.#running?.kill(),
      () => undefined,
    );
    await ended;
  }

  async #run(): Promise<void> {
    if (!(await this.#dependenciesMet())) return;
    const { context, change, task } = this.#side;
    const logs = logDriverOf(context, task(), this.#definition);
    try {
      const exit = await this.#runOnceOrMore((chunk) => logs.write(chunk));
      logs.end();
      change(this.name, { lastStatus: 'STOPPED', ...exit });
    } catch (error) {
      logs.end();
      change(this.name, { lastStatus: 'STOPPED', reason: startReason(error) });
    }
  }

  async #dependenciesMet(): Promise<boolean> {
    const { context, bell, progress, stopping, task, change } = this.#side;
    for (;;) {
      if (stopping.aborted) return false;
      const verdict = dependencyVerdict(task(), this.#definition, progress, context.clock.now());
      switch (verdict.kind) {
        case 'ready':
          return true;
        case 'hopeless':
          // 143 is what the agent writes for a container it gave up on.
          change(this.name, { lastStatus: 'STOPPED', exitCode: 143, reason: verdict.reason });
          return false;
        case 'wait': {
          const moved = new AbortController();
          const signal = AbortSignal.any([stopping, moved.signal]);
          const waits = [bell.next(signal)];
          if (verdict.until !== undefined) waits.push(context.clock.sleep(verdict.until - context.clock.now(), signal));
          await Promise.race(waits).catch(() => undefined);
          moved.abort(new Error('looked again'));
          await Promise.allSettled(waits);
          break;
        }
        default:
          verdict satisfies never;
      }
    }
  }

  /** ECS's restart policy: again only where it ran for the whole period; nobody outside sees it. */
  async #runOnceOrMore(write: (chunk: Uint8Array) => void): Promise<ContainerExit> {
    const { context, stopping } = this.#side;
    const { enabled = false, ignoredExitCodes = [], restartAttemptPeriod = 300 } = this.#definition.restartPolicy ?? {};
    for (;;) {
      const startedAt = context.clock.now();
      const exit = await this.#runOnce(write);
      const ranLongEnough = context.clock.now() - startedAt >= restartAttemptPeriod * 1000;
      const ignored = exit.exitCode !== undefined && ignoredExitCodes.includes(exit.exitCode);
      if (!enabled || ignored || !ranLongEnough || stopping.aborted) return exit;
    }
  }

  async #runOnce(write: (chunk: Uint8Array) => void): Promise<ContainerExit> {
    const { context, sandbox, progress, stopping, closed, task, change, amend } = this.#side;
    const running = await sandbox.start(this.#spec, write);
    this.#running = running;
    const first = !progress.has(this.name);
    progress.set(this.name, {
      startedAt: context.clock.now(),
      restarts: (progress.get(this.name)?.restarts ?? -1) + 1,
    });
    if (first) change(this.name, { lastStatus: 'RUNNING', runtimeId: runtimeIdOf(task(), context.random.next()) });
    if (stopping.aborted) running.terminate();
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, closed]);
    const report = (execAgent: ExecAgent): void => amend(this.name, { execAgent });
    const execAgent =
      task().enableExecuteCommand && watchExecAgent({ context, spec: this.#spec, running, signal, report });
    const health =
      this.#definition.healthCheck &&
      watchHealth({
        check: this.#definition.healthCheck,
        clock: context.clock,
        signal,
        exec: (command, signal) => running.exec(command, signal),
        report: (status) => amend(this.name, { health: status }),
      });
    const exit = await running.exited;
    this.#running = undefined;
    over.abort(new Error('the container has ended'));
    await Promise.all([health, execAgent]);
    return exit;
  }
}

const startReason = (error: unknown): string =>
  error instanceof StartFailure
    ? error.message
    : `CannotStartContainerError: ${error instanceof Error ? error.message : String(error)}`;

/** Fargate names a container by its task and ten digits. */
const runtimeIdOf = (task: TaskRecord, chance: number): string =>
  `${task.id}-${String(Math.floor(chance * 1e10)).padStart(10, '0')}`;
