import type { LaunchResult } from '../../../src/model/launch.ts';

/** Methods of the provider that can be made to fail. */
export type ProviderMethod =
  | 'provision'
  | 'launch'
  | 'describe'
  | 'find'
  | 'list'
  | 'stop'
  | 'logs'
  | 'ping'
  | 'collect';

/** Called at every call boundary; may wait (a stall) or throw (an error, a crash of the caller). */
export type ProviderHook = (method: ProviderMethod, when: 'before' | 'after') => void | Promise<void>;

/**
 * What the next launch meets:
 * - `refused`: answered by a refusal, nothing started.
 * - `lost-request`: never arrives, so `unknown` and nothing started.
 * - `lost-answer`: starts the workload, but the answer gets lost, so `unknown`.
 */
export type LaunchFault =
  | Extract<LaunchResult, { readonly kind: 'refused' }>
  | { readonly kind: 'lost-request' }
  | { readonly kind: 'lost-answer' };

/** Errors waiting for the next calls, first in first out by method and boundary. */
export class FakeFaults {
  readonly #errors = new Map<string, Error[]>();
  readonly #launches: LaunchFault[] = [];

  /** The next call of `method` fails; with `when: 'after'` once its effect is done. */
  failNext(method: ProviderMethod, error: Error, when: 'before' | 'after' = 'before'): void {
    const key = `${method} ${when}`;
    this.#errors.set(key, [...(this.#errors.get(key) ?? []), error]);
  }

  /** The next launches meet these, in order. */
  nextLaunch(...faults: readonly LaunchFault[]): void {
    this.#launches.push(...faults);
  }

  takeLaunch(): LaunchFault | undefined {
    return this.#launches.shift();
  }

  throwAt(method: ProviderMethod, when: 'before' | 'after'): void {
    const error = this.#errors.get(`${method} ${when}`)?.shift();
    if (error) throw error;
  }
}
