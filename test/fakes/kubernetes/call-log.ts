import { TransientError } from '../../../src/core/errors.ts';

/** `pods.get`, `leases.renew` …: group and method of the Kubernetes port. */
export type Method = `${string}.${string}`;

export interface Call {
  readonly method: Method;
  /** What was given, but for the signal. */
  readonly args: readonly unknown[];
}

type Fault =
  | { readonly kind: 'fail'; readonly error: Error; readonly when: 'before' | 'after' }
  | { readonly kind: 'hang' };

/** Records every call and lets tests break the next ones. */
export class CallLog {
  readonly calls: Call[] = [];
  readonly #faults = new Map<Method, Fault[]>();
  readonly #hooks: ((call: Call) => void | Promise<void>)[] = [];

  addFault(method: Method, fault: Fault): void {
    this.#faults.set(method, [...(this.#faults.get(method) ?? []), fault]);
  }

  /** Runs before every call; may throw, wait, or change the world. */
  addHook(hook: (call: Call) => void | Promise<void>): void {
    this.#hooks.push(hook);
  }

  async run<T>(method: Method, args: readonly unknown[], signal: AbortSignal, act: () => T): Promise<T> {
    if (signal.aborted) throw aborted(signal);
    const call = { method, args };
    this.calls.push(call);
    for (const hook of this.#hooks) await hook(call);
    const fault = this.#faults.get(method)?.shift();
    if (fault?.kind === 'hang') await untilAborted(signal);
    if (fault?.kind === 'fail' && fault.when === 'before') throw fault.error;
    const result = act();
    if (fault?.kind === 'fail') throw fault.error;
    return result;
  }
}

const aborted = (signal: AbortSignal): TransientError =>
  new TransientError('the request was given up before it was answered', { cause: signal.reason });

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(aborted(signal));
    signal.addEventListener('abort', () => reject(aborted(signal)), { once: true });
  });
