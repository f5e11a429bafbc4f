import type { Pod } from '../../../src/model/kubernetes.ts';
import type { Workload } from '../../../src/model/workload.ts';
import type { Provider } from '../../../src/ports/provider.ts';

/** A provider and what its contract's tests need of the world around it. Ends with the test. */
export interface ProviderWorld {
  readonly provider: Provider;
  /** A pod with container `main`, which runs on until it is told otherwise; Job-like where `exitCode` is given. */
  pod(uid: string, exitCode?: number): Pod;
  /** Lets time pass until the workload runs. Its container then prints `hello` and `bye`. */
  reachRunning(id: string): Promise<void>;
  /** Lets time pass until the container of a Job-like pod has ended and its output can be read. */
  reachEnd(id: string): Promise<void>;
  /** Lets what a stop has begun come to its end. */
  reachStopped(id: string): Promise<void>;
  /** The next launch gives no answer, `before` or `after` the workload was started. */
  loseLaunch?(when: 'before' | 'after'): void;
  /** The next launch finds no capacity, or no quota. */
  refuseLaunch?(cause: 'capacity' | 'quota'): void;
  /** Everything the provider has notified so far, as it was sent; absent where it tells by `watch`. */
  notifications?(): readonly unknown[];
  /** Resolves once a `watch` that was just begun sees what happens from now on. */
  watching?(): Promise<void>;
}

/** What sets a provider apart from one that runs real programs far away. */
export interface ProviderTraits {
  /** A launch answers a workload that runs already. */
  readonly runsAtOnce?: boolean;
  /** Workloads start in real time, and nobody can hold them back. */
  readonly startsUnasked?: boolean;
  /** Containers end by a stop only. */
  readonly runsForEver?: boolean;
  /** What containers end with that were stopped; 143 where it is left out. */
  readonly exitCodeOfStop?: number;
  /** Nothing is ever lost on the way to it, and it has room for everything. */
  readonly alwaysAnswers?: boolean;
  /** Containers print nothing. */
  readonly isSilent?: boolean;
  /** It has `stats`. */
  readonly hasFigures?: boolean;
}

/** Everything a stream of workloads or bytes gives. */
export const gather = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

export const text = async (chunks: AsyncIterable<Uint8Array>): Promise<string> =>
  Buffer.concat(await gather(chunks)).toString();

export const idsOf = (workloads: readonly Workload[]): readonly string[] => workloads.map(({ id }) => id).sort();
