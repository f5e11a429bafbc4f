import type { ContainerUsage } from '../../../runtimes/runtime.ts';
import type { EcsContext } from '../context.ts';
import type { ContainerRecord, TaskRecord } from '../tasks/task-record.ts';
import { containerEvent, type PeriodUsage, taskEvent } from './performance-event.ts';

interface Reading {
  readonly at: number;
  readonly cpuNanoSeconds: number;
}

/** An engine that hangs must not keep the others' figures. */
const readWithinMs = 5000;
const mebibyte = 1_048_576;

/**
 * Writes what the running containers of clusters with Container Insights use into the cluster's log group `performance`,
 * once a period. Starts with the first such cluster.
 */
export class ContainerInsights {
  readonly #context: () => EcsContext;
  readonly #periodMs: number;
  #readings = new Map<string, Reading>();
  #running = false;

  constructor(context: () => EcsContext, periodMs: number) {
    this.#context = context;
    this.#periodMs = periodMs;
  }

  /** Does nothing where it is at work already. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#next();
  }

  #next(): void {
    this.#context().timers.after(this.#periodMs, async () => {
      await this.#measure();
      this.#next();
    });
  }

  async #measure(): Promise<void> {
    const { tasks, clusters } = this.#context();
    const measured = tasks
      .all()
      .filter(({ clusterName }) => clusters.find(clusterName)?.insights ?? false)
      .filter(({ lastStatus }) => lastStatus === 'ACTIVATING' || lastStatus === 'RUNNING');
    const readings = new Map<string, Reading>();
    await Promise.all(measured.map((task) => this.#measureTask(task, readings)));
    this.#readings = readings;
  }

  async #measureTask(task: TaskRecord, readings: Map<string, Reading>): Promise<void> {
    const { clock, logs, delays } = this.#context();
    const running = task.containers.filter(({ lastStatus }) => lastStatus === 'RUNNING');
    const used = await Promise.all(running.map((container) => this.#measureContainer(task, container, readings)));
    const at = clock.now();
    const usages = used.flatMap((usage) => usage ?? []);
    if (usages.length === 0) return;
    const events = [
      ...running.flatMap((container, index) => {
        const usage = used[index];
        return usage ? [containerEvent(task, container, usage, at)] : [];
      }),
      taskEvent(task, usages, at),
    ];
    logs.append(
      `/aws/ecs/containerinsights/${task.clusterName}/performance`,
      'FargateTelemetry-0001',
      events.map((event) => ({ timestamp: at, message: JSON.stringify(event) })),
      at + delays.logIngestion,
    );
  }

  async #measureContainer(
    task: TaskRecord,
    { name }: ContainerRecord,
    readings: Map<string, Reading>,
  ): Promise<PeriodUsage | undefined> {
    const { agents, clock } = this.#context();
    const view = agents.view(task.arn, name);
    const usage = await view?.usage(AbortSignal.timeout(readWithinMs)).catch(() => undefined);
    if (!view || !usage) return undefined;
    const at = clock.now();
    const key = `${task.arn} ${name}`;
    readings.set(key, { at, cpuNanoSeconds: usage.cpuNanoSeconds });
    const since = earlierOf(this.#readings.get(key), usage) ?? { at: view.startedAt ?? at, cpuNanoSeconds: 0 };
    if (at <= since.at) return undefined;
    const cores = (usage.cpuNanoSeconds - since.cpuNanoSeconds) / ((at - since.at) * 1_000_000);
    return { cpuUnits: cores * 1024, memoryMiB: usage.memoryBytes / mebibyte };
  }
}

/** Undefined where the container was started again in between. */
const earlierOf = (reading: Reading | undefined, { cpuNanoSeconds }: ContainerUsage): Reading | undefined =>
  reading && reading.cpuNanoSeconds <= cpuNanoSeconds ? reading : undefined;
