import type { Duplex } from 'node:stream';
import * as z from 'zod/mini';
import type { Clock, Random } from '../../core/clock.ts';
import { stableJson } from '../../core/digest.ts';
import { NotFoundError, TransientError } from '../../core/errors.ts';
import type { Pod } from '../../model/kubernetes.ts';
import type { LaunchRequest, LaunchResult, LaunchToken } from '../../model/launch.ts';
import type { LogQuery } from '../../model/log-query.ts';
import type { AttachQuery, ExecQuery, PortQuery } from '../../model/remote-query.ts';
import type { Workload } from '../../model/workload.ts';
import type { WorkloadStats } from '../../model/workload-stats.ts';
import type { Described, Preparation, Provider } from '../../ports/provider.ts';
import type { RemoteStreams } from '../../ports/remote-streams.ts';
import type { LocalEnd, LocalMachine } from './local/local-machine.ts';
import { statsOf } from './mock-stats.ts';
import {
  containersOf,
  containersWithProcesses,
  deletedWorkload,
  type MockContainer,
  runningWorkload,
  withEnded,
} from './mock-workload.ts';

/** A workload that is over is forgotten after so long: a request under its token may still be repeated until then. */
const REMEMBERED_MS = 3_600_000;

const requestSchema = z.object({
  token: z.object({ podUid: z.string(), attempt: z.number(), try: z.number() }),
  containers: z.array(
    z.object({
      name: z.string(),
      image: z.string(),
      kind: z.enum(['init', 'main']),
      process: z.exactOptional(z.object({ command: z.array(z.string()), stdin: z.boolean(), stdinOnce: z.boolean() })),
    }),
  ),
});

/**
 * Pods that run at once and nowhere, kept in memory: virtual-kubelet's mock. They print nothing and never end by
 * themselves; a stop ends them at once. What was running when the process ended is lost with it.
 */
export class MockProvider implements Provider<readonly MockContainer[]> {
  readonly name = 'mock';
  readonly isConclusive = true;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #machine: LocalMachine | undefined;
  readonly #workloads = new Map<string, Workload>();
  /** Ids by token. */
  readonly #launched = new Map<string, string>();
  readonly #listeners = new Set<(workload: Workload) => void>();

  /** `machine`: where commands run; without one they run nowhere. */
  constructor({
    clock,
    random,
    machine,
  }: { readonly clock: Clock; readonly random: Random; readonly machine?: LocalMachine }) {
    this.#clock = clock;
    this.#random = random;
    this.#machine = machine;
  }

  prepare(pod: Pod): Preparation<readonly MockContainer[]> {
    return {
      ok: true,
      prepared: this.#machine ? containersWithProcesses(pod) : containersOf(pod),
      notes: [],
      summary: '',
    };
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
    const workload = this.#put(runningWorkload(id, token, containers, this.#clock.now()));
    for (const { name, process } of containers) {
      if (process) this.#machine?.start(id, name, process, (end) => this.#ended(id, name, end));
    }
    return { kind: 'started', workload };
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
    if (!workload || workload.phase === 'stopped') return;
    for (const { name } of workload.containers) this.#machine?.stop(id, name);
    this.#put(deletedWorkload(workload, reason, this.#clock.now()));
  }

  /** Nothing where nothing runs, as virtual-kubelet's mock. */
  async *logs(query: LogQuery, signal: AbortSignal): AsyncIterable<Uint8Array> {
    if (this.#machine) yield* this.#machine.logs(query, signal);
  }

  /** Succeeds at once and prints nothing where nothing runs, as virtual-kubelet's mock. */
  async exec(query: ExecQuery, streams: RemoteStreams, signal: AbortSignal): Promise<number> {
    this.#requireRunning(query.workloadId, query.container);
    return this.#machine ? this.#machine.exec(query, streams, signal) : 0;
  }

  async attach(query: AttachQuery, streams: RemoteStreams, signal: AbortSignal): Promise<void> {
    this.#requireRunning(query.workloadId, query.container);
    await this.#machine?.attach(query, streams, signal);
  }

  /** Nobody listens where nothing runs. */
  async connect({ workloadId, port }: PortQuery, signal: AbortSignal): Promise<Duplex> {
    if (this.#workloads.get(workloadId)?.phase !== 'running') throw new NotFoundError('the pod does not run');
    if (!this.#machine) throw new TransientError(`nobody listens at port ${port}: the pods of the mock run nowhere`);
    return this.#machine.connect(port, signal);
  }

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
      for (const { name } of this.#workloads.get(id)?.containers ?? []) this.#machine?.forget(id, name);
      this.#workloads.delete(id);
      this.#launched.delete(key);
    }
  }

  #requireRunning(id: string, container: string): void {
    const found = this.#workloads.get(id)?.containers.find(({ name }) => name === container);
    if (found?.state !== 'running') throw new NotFoundError(`container ${JSON.stringify(container)} does not run`);
  }

  #ended(id: string, name: string, end: LocalEnd): void {
    const workload = this.#workloads.get(id);
    if (workload && workload.phase !== 'stopped') this.#put(withEnded(workload, name, end, this.#clock.now()));
  }

  #put(workload: Workload): Workload {
    this.#workloads.set(workload.id, workload);
    for (const listener of this.#listeners) listener(workload);
    return workload;
  }
}

const keyOf = ({ podUid, attempt, try: number }: LaunchToken): string => `${podUid} ${attempt}.${number}`;
