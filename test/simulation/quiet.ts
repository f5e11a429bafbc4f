import type { Pod } from '../../src/model/kubernetes.ts';
import { podOfCall } from './calls.ts';
import type { SetOut } from './weather.ts';

const CLAIMS: ReadonlySet<string> = new Set(['podStore.claim', 'podStore.wakeAndClaim', 'podStore.observeAndClaim']);
const EFFECTS: ReadonlySet<string> = new Set([
  'pods.patchStatus',
  'pods.delete',
  'events.create',
  'provider.provision',
  'provider.launch',
  'provider.stop',
]);

/** What runs is read again every five minutes, and once more where that falls on an edge. */
const READ_AGAIN_MS = 5 * 60_000;

/** Whether a world in which nothing happens is left alone: no wake without a cause. */
export class Quiet {
  readonly #wakes = new Map<string, number>();
  #stirs: string[] = [];

  begin(): void {
    this.#wakes.clear();
    this.#stirs = [];
  }

  sets({ call, args }: SetOut): void {
    if (EFFECTS.has(call)) this.stir(`${call} ${podOfCall(call, args)}`);
    if (!CLAIMS.has(call)) return;
    const uid = podOfCall(call, args);
    this.#wakes.set(uid, (this.#wakes.get(uid) ?? 0) + 1);
  }

  /** Something has happened. */
  stir(what: string): void {
    this.#stirs.push(what);
  }

  /** Nothing has happened, and nobody has done anything. */
  get isIdle(): boolean {
    return this.#stirs.length === 0;
  }

  /** What was done without a cause in `ms` in which nothing happened. */
  faults(pods: readonly Pod[], ms: number): readonly string[] {
    const allowed = Math.floor(ms / READ_AGAIN_MS) + 1;
    const over = new Set(
      pods
        .filter(
          ({ metadata, status }) =>
            !metadata?.deletionTimestamp && ['Succeeded', 'Failed'].includes(status?.phase ?? ''),
        )
        .map(({ metadata }) => metadata?.uid),
    );
    return [
      ...this.#stirs.map((what) => `without a cause: ${what}`),
      ...[...this.#wakes]
        .filter(([uid, count]) => count > (over.has(uid) ? 0 : allowed))
        .map(([uid, count]) => `${uid} was woken ${count} times in ${ms} ms without a cause`),
    ];
  }
}
