import { sha256Hex, stableJson } from '../../../../../src/core/digest.ts';
import { AwsError } from '../../service-error.ts';
import type { TaskRecord } from './task-record.ts';
import type { TaskStore } from './task-store.ts';

const dayMs = 86_400_000;

interface Remembered {
  readonly digest: string;
  readonly arns: readonly string[];
  readonly at: number;
}

/**
 * What RunTask did under each `clientToken`: known in one cluster, for the shorter of 24 hours and the life of its tasks
 * plus an hour. A request that started nothing leaves its token unused.
 */
export class IdempotencyStore {
  readonly #tasks: TaskStore;
  readonly #now: () => number;
  readonly #byToken = new Map<string, Remembered>();

  constructor(tasks: TaskStore, now: () => number) {
    this.#tasks = tasks;
    this.#now = now;
  }

  /**
   * The tasks of an earlier, equal request.
   * @throws {AwsError} ConflictException with their ARNs where that request was another one.
   */
  replay(cluster: string, token: string, request: unknown): readonly TaskRecord[] | undefined {
    const known = this.#byToken.get(key(cluster, token));
    if (!known || this.#expired(known)) return undefined;
    if (known.digest !== digestOf(request)) {
      throw new AwsError('ConflictException', 'The clientToken was used with other parameters.', {
        fields: { resourceIds: known.arns },
      });
    }
    return known.arns.flatMap((arn) => this.#tasks.find(arn) ?? []);
  }

  remember(cluster: string, token: string, request: unknown, arns: readonly string[]): void {
    if (this.#byToken.size % 1000 === 999) this.#sweep();
    this.#byToken.set(key(cluster, token), { digest: digestOf(request), arns, at: this.#now() });
  }

  #sweep(): void {
    for (const [token, known] of this.#byToken) if (this.#expired(known)) this.#byToken.delete(token);
  }

  /** The store forgets a task one hour after its end. */
  #expired({ at, arns }: Remembered): boolean {
    return this.#now() - at >= dayMs || arns.every((arn) => !this.#tasks.find(arn));
  }
}

const key = (cluster: string, token: string): string => `${cluster} ${token}`;

const digestOf = (request: unknown): string => sha256Hex(stableJson(request));
