import { TransientError } from '../../../core/errors.ts';
import type { Workload } from '../../../model/workload.ts';
import type { Described } from '../../../ports/provider.ts';
import type { EcsApi } from '../aws/ecs-api.ts';
import { translated } from '../aws/errors.ts';
import { taskIdOf } from '../deployment.ts';
import { type EcsTask, parseTask } from './ecs-task.ts';
import { taskToWorkload } from './task-to-workload.ts';

/** DescribeTasks' and ListTasks' own limit. */
const BATCH = 100;

/** Reads tasks of one cluster as workloads. */
export class TaskReader {
  readonly #ecs: EcsApi;
  readonly #clusterArn: string;

  constructor(ecs: EcsApi, clusterArn: string) {
    this.#ecs = ecs;
    this.#clusterArn = clusterArn;
  }

  /** These tasks, 100 a call; those ECS does not know (yet, or any more) are `missing`. */
  async describe(arns: readonly string[], signal: AbortSignal): Promise<Described> {
    const workloads: Workload[] = [];
    const missing: string[] = [];
    for (let start = 0; start < arns.length; start += BATCH) {
      const answer = await this.#describeBatch(arns.slice(start, start + BATCH), signal);
      workloads.push(...answer.tasks.map(taskToWorkload));
      missing.push(...answer.missing);
    }
    return { workloads, missing };
  }

  /** One task as ECS shows it; undefined where ECS does not know it. */
  async get(arn: string, signal: AbortSignal): Promise<EcsTask | undefined> {
    const { tasks } = await this.#describeBatch([arn], signal);
    return tasks[0];
  }

  /** Tasks by `startedBy` (all of the cluster without it), page by page. */
  async *list(
    filter: { readonly startedBy?: string; readonly desiredStatus: 'RUNNING' | 'STOPPED' },
    signal: AbortSignal,
  ): AsyncIterable<EcsTask> {
    let nextToken: string | undefined;
    do {
      const page = await translated('ECS ListTasks', () =>
        this.#ecs.listTasks(
          { cluster: this.#clusterArn, maxResults: BATCH, ...filter, ...(nextToken && { nextToken }) },
          signal,
        ),
      );
      const arns = page.taskArns ?? [];
      if (arns.length > 0) yield* (await this.#describeBatch(arns, signal)).tasks;
      nextToken = page.nextToken || undefined;
    } while (nextToken !== undefined);
  }

  async #describeBatch(
    arns: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly tasks: readonly EcsTask[]; readonly missing: readonly string[] }> {
    const { tasks = [], failures = [] } = await translated('ECS DescribeTasks', () =>
      this.#ecs.describeTasks({ cluster: this.#clusterArn, tasks: [...arns] }, signal),
    );
    const odd = failures.find(({ reason }) => reason !== 'MISSING');
    if (odd) throw new TransientError(`ECS DescribeTasks: ${odd.arn}: ${odd.reason}`);
    const unknown = new Set(failures.map(({ arn = '' }) => taskIdOf(arn)));
    return {
      tasks: tasks.flatMap((task) => parseTask(task) ?? []),
      missing: arns.filter((arn) => unknown.has(taskIdOf(arn))),
    };
  }
}
