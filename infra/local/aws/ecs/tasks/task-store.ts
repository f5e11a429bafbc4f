import type { Clock } from '../../../../../src/core/clock.ts';
import { lastOf } from '../arn.ts';
import type { TaskRecord } from './task-record.ts';

/** STOPPED tasks can be described for an hour. */
const keepStoppedMs = 3_600_000;

/** All tasks; tells a listener of each change that makes an event. */
export class TaskStore {
  readonly #clock: Clock;
  readonly #onChange: (task: TaskRecord) => void;
  readonly #byArn = new Map<string, TaskRecord>();

  constructor(clock: Clock, onChange: (task: TaskRecord) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  add(task: TaskRecord): void {
    this.#byArn.set(task.arn, task);
    this.#onChange(task);
  }

  /** @throws {Error} for an ARN that was never added or is forgotten: a bug of the caller. */
  get(arn: string): TaskRecord {
    const task = this.#byArn.get(arn);
    if (!task) throw new Error(`the store holds no task ${arn}`);
    return task;
  }

  /** By ARN or id. Forgets what has been STOPPED for an hour. */
  find(arnOrId: string): TaskRecord | undefined {
    if (!arnOrId.startsWith('arn:')) return this.all().find(({ id }) => id === lastOf(arnOrId));
    this.#purge(arnOrId);
    return this.#byArn.get(arnOrId);
  }

  all(): readonly TaskRecord[] {
    for (const arn of this.#byArn.keys()) this.#purge(arn);
    return [...this.#byArn.values()];
  }

  /** A change that makes an event: the version grows. */
  change(arn: string, patch: Partial<TaskRecord>): TaskRecord {
    const task = this.get(arn);
    const changed = { ...task, ...patch, version: task.version + 1, updatedAt: this.#clock.now() };
    this.#byArn.set(arn, changed);
    this.#onChange(changed);
    return changed;
  }

  /** A change without an event: health, tags. */
  amend(arn: string, patch: Partial<TaskRecord>): void {
    this.#byArn.set(arn, { ...this.get(arn), ...patch });
  }

  #purge(arn: string): void {
    const stoppedAt = this.#byArn.get(arn)?.stoppedAt;
    if (stoppedAt !== undefined && stoppedAt <= this.#clock.now() - keepStoppedMs) this.#byArn.delete(arn);
  }
}
