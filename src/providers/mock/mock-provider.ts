import * as z from 'zod/mini';
import type { Clock, Random } from '../../core/clock.ts';
import { stableJson } from '../../core/digest.ts';
import type { Pod } from '../../model/kubernetes.ts';
import type { LaunchRequest, LaunchResult, LaunchToken } from '../../model/launch.ts';
import type { Workload } from '../../model/workload.ts';
import type { WorkloadStats } from '../../model/workload-stats.ts';
import type { Described, Preparation, Provider } from '../../ports/provider.ts';
import { statsOf } from './mock-stats.ts';
import { containersOf, deletedWorkload, type MockContainer, runningWorkload } from './mock-workload.ts';

/** A workload that is over is forgotten after so long: a request under its token may still be repeated until then. */
const REMEMBERED_MS = 3_600_000;

const requestSchema = z.object({
  token: z.object({ podUid: z.string(), attempt: z.number(), try: z.number() }),
  containers: z.array(z.object({ name: z.string(), image: z.string(), kind: z.enum(['init', 'main']) })),
});

/**
 * Pods that run at once and nowhere, kept in memory: virtual-kubelet's mock. They print nothing and never end by
 * themselves; a stop ends them at once. What was running when the process ended is lost with it.
 */
export class MockProvider implements Provider<readonly MockContainer[]> {
  readonly name = 'mock';
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #workloads = new Map<string, Workload>();
  /** Ids by token. */
  readonly #launched = new Map<string, string>();
  readonly #listeners = new Set<(workload: Workload) => void>();

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  prepare(pod: Pod): Preparation<readonly MockContainer[]> {
    return { ok: true, prepared: containersOf(pod), notes: [], summary: '' };
  }

  async provision(containers: readonly MockContainer[], token: LaunchToken): Promise<LaunchRequest> {
    return { body: stableJson({ token, containers }) };
  }

  async launch({ body }: LaunchRequest): Promise<LaunchResult> {
    const { token, containers } = requestSchema.parse(JSON.parse(body));
    const earlier = this.#workloads.get(this.#launched.get(keyOf(token)) ?? '');
    if (earlier) return { kind: 'started', workload: earlier };
    const id = `mock://${this.#random.uuid()}`;
    this.#launched.set(keyOf(token), id);
    return { kind: 'started', workload: this.#put(runningWorkload(id, token, containers, this.#clock.now())) };
  }

  async describe(ids: readonly string[]): Promise<Described> {
    return {
      workloads: ids.flatMap((id) => this.#workloads.get(id) ?? []),
      missing: ids.filter((id) => !this.#workloads.has(id)),
    };
  }

  async find(podUid: string): Promise<readonly Workload[]> {
    return [...this.#workloads.values()].filter((workload) => workload.podUid === podUid);
  }

  async *list({ stopped }: { readonly stopped: boolean }): AsyncIterable<Workload> {
    for (const workload of this.#workloads.values()) if (stopped || workload.phase !== 'stopped') yield workload;
  }

  async stop(id: string, { reason }: { readonly graceSeconds: number; readonly reason: string }): Promise<void> {
    const workload = this.#workloads.get(id);
    if (workload && workload.phase !== 'stopped') this.#put(deletedWorkload(workload, reason, this.#clock.now()));
  }

  /** Nothing, of whatever container, as virtual-kubelet's mock. */
  async *logs(): AsyncIterable<Uint8Array> {}

  /** The mock tells by {@link watch}. */
  observationOf(): undefined {}

  watch(onChange: (workload: Workload) => void): () => void {
    const listener = (workload: Workload): void => onChange(workload);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async stats(): Promise<readonly WorkloadStats[]> {
    const now = this.#clock.now();
    return [...this.#workloads.values()].flatMap((workload) => statsOf(workload, now) ?? []);
  }

  async ping(): Promise<void> {}

  async collect(): Promise<void> {
    const before = this.#clock.now() - REMEMBERED_MS;
    for (const [key, id] of this.#launched) {
      const stoppedAt = this.#workloads.get(id)?.stoppedAt;
      if (stoppedAt === undefined || stoppedAt >= before) continue;
      this.#workloads.delete(id);
      this.#launched.delete(key);
    }
  }

  #put(workload: Workload): Workload {
    this.#workloads.set(workload.id, workload);
    for (const listener of this.#listeners) listener(workload);
    return workload;
  }
}

const keyOf = ({ podUid, attempt, try: number }: LaunchToken): string => `${podUid} ${attempt}.${number}`;
