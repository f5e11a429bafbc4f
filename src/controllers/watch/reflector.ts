import { type BackOffCurve, delaySecondsAfter } from '../../core/backoff.ts';
import type { Clock, Random } from '../../core/clock.ts';
import { dispositionOf } from '../../core/errors.ts';
import type { ObjectMeta } from '../../model/kubernetes.ts';
import type { ListWatch, WatchEvent } from '../../ports/list-watch.ts';
import type { Logger } from '../../ports/logger.ts';

/** Takes in what is there, and then every change of it. */
export interface ReflectorSink<T> {
  /** The whole collection, at the start and after a gap in the changes. */
  replaced(items: readonly T[]): void;
  changed(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void;
}

export interface ReflectorOptions<T> {
  /** For the log: `pods`. */
  readonly what: string;
  readonly source: ListWatch<T>;
  readonly sink: ReflectorSink<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** client-go's. */
const BACK_OFF: BackOffCurve = { initialSeconds: 0.8, maxSeconds: 30 };
/** A watch that ends sooner, and without any event, did not really begin. */
const SHORT_WATCH_MS = 5_000;

/**
 * Keeps a copy of a collection up to date: lists it, follows its changes from there, and lists again when the server has
 * forgotten where we were (410). A watch that ends or breaks goes on where it was.
 */
export class Reflector<T extends { metadata?: ObjectMeta }> {
  readonly #options: ReflectorOptions<T>;
  readonly #synced = Promise.withResolvers<void>();
  #version: string | undefined;
  #failures = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
  }

  /** Resolves once the collection has been listed for the first time. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Goes on until `signal` aborts. Never rejects: every failure is tried again, the first one in a row at once. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await this.#round(signal)) this.#failures = 0;
        else this.#failures += 1;
      } catch (error) {
        if (signal.aborted) return;
        this.#failures += 1;
        this.#report(error);
      }
      if (this.#failures > 1 && !(await this.#pause(signal))) return;
    }
  }

  /** One list, where it is needed, and one watch. False where that brought nothing and ended at once. */
  async #round(signal: AbortSignal): Promise<boolean> {
    const { source, sink, clock, logger, what } = this.#options;
    if (this.#version === undefined) {
      const { items, resourceVersion } = await source.list(signal);
      sink.replaced(items);
      this.#version = resourceVersion;
      this.#synced.resolve();
    }
    const began = clock.now();
    let heard = false;
    for await (const event of source.watch(this.#version, signal)) {
      if (event.type === 'EXPIRED') {
        logger.info('watch expired, listing again', { what, resourceVersion: this.#version });
        this.#version = undefined;
        return heard;
      }
      heard = true;
      this.#failures = 0;
      this.#version = this.#take(event) ?? this.#version;
    }
    return heard || clock.now() - began >= SHORT_WATCH_MS;
  }

  /** The resourceVersion it has brought. */
  #take(event: Exclude<WatchEvent<T>, { readonly type: 'EXPIRED' }>): string | undefined {
    if (event.type === 'BOOKMARK') return event.resourceVersion;
    this.#options.sink.changed(event.type, event.object);
    return event.object.metadata?.resourceVersion;
  }

  #report(error: unknown): void {
    const { logger, what } = this.#options;
    const level = dispositionOf(error) === 'permanent' ? 'error' : 'warn';
    logger[level]('watch broken, it is tried again', { what, error, failures: this.#failures });
  }

  /** False where `signal` has aborted. */
  async #pause(signal: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#options;
    const seconds = delaySecondsAfter(BACK_OFF, this.#failures - 1);
    try {
      // Some jitter, so that all clients of a server that comes back do not come at once.
      await clock.sleep(seconds * 1_000 * (1 + random.next()), signal);
      return true;
    } catch {
      return false;
    }
  }
}
