import type { Clock } from '../../../src/core/clock.ts';
import { NotFoundError, ThrottledError } from '../../../src/core/errors.ts';
import type { Pod } from '../../../src/model/kubernetes.ts';
import type { LaunchRequest, LaunchResult, LaunchToken } from '../../../src/model/launch.ts';
import type { LogQuery } from '../../../src/model/log-query.ts';
import type { Workload, WorkloadContainer, WorkloadEnd } from '../../../src/model/workload.ts';
import type { Described, PodSources, Preparation, Provider } from '../../../src/ports/provider.ts';
import { FakeFaults, type ProviderHook, type ProviderMethod } from './fake-faults.ts';
import { ECS_LIMITS, FakeLimits, type ProviderLimits } from './fake-limits.ts';
import { allContainers, type ExitCodes, startingWorkload, stoppedWorkload, withChange } from './fake-workload.ts';

export interface FakePrepared {
  readonly podUid: string;
  readonly containers: readonly { readonly name: string; readonly image: string }[];
}

/** What {@link FakeProvider.notificationOf} makes and `observationOf` reads. */
export interface FakeNotification {
  readonly kind: 'fake-workload';
  readonly workload: Workload;
}

/**
 * A provider in memory, with the real one's launch semantics: a token starts at most one workload, a repeated request
 * answers the one it has started. Workloads move only when a test says so (`pull`, `run`, `exit` …), each move with the
 * next version; what tests assert is the world (`workloads()`), and `calls` where a call budget is the point. The rate
 * limits of ECS hold.
 */
export class FakeProvider implements Provider<FakePrepared> {
  readonly name = 'fake';
  /** As the real one: what tests read are the words of its users. */
  readonly title = 'Fargate';
  readonly faults = new FakeFaults();
  /** Every call, in order. */
  readonly calls: ProviderMethod[] = [];
  /** Called around every call; throw or wait here to crash or stall the caller. */
  hook: ProviderHook = () => {};
  /** Replaces what `prepare` answers. */
  preparation: ((pod: Pod, sources: PodSources) => Preparation<FakePrepared>) | undefined;
  isConclusive?: true;
  /** Which images are pulled with logins of the pod's. */
  pullsWithLogin: (image: string) => boolean = () => false;
  /** True: a stop ends a workload at once (exit code 143); false: tests end it by `exit`. */
  stopsAtOnce = true;
  /** Told of every change, as the provider's notifications would. */
  onChange: (workload: Workload) => void = () => {};

  readonly #clock: Clock;
  #limits = new FakeLimits(ECS_LIMITS);
  readonly #workloads = new Map<string, Workload>();
  readonly #byToken = new Map<string, Workload>();
  readonly #hidden = new Set<string>();
  readonly #output = new Map<string, string[]>();
  #nextIp = 1;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  prepare(pod: Pod, sources: PodSources): Preparation<FakePrepared> {
    if (this.preparation) return this.preparation(pod, sources);
    const podUid = pod.metadata?.uid ?? '';
    const containers = (pod.spec?.containers ?? []).map(({ name, image }) => ({ name, image: image ?? '' }));
    return { ok: true, prepared: { podUid, containers }, notes: [], summary: '0.25 vCPU, 512 MiB' };
  }

  provision(prepared: FakePrepared, token: LaunchToken): Promise<LaunchRequest> {
    return this.#call('provision', () => ({ body: JSON.stringify({ prepared, token }) }));
  }

  launch(request: LaunchRequest, signal?: AbortSignal): Promise<LaunchResult> {
    return this.#call('launch', (): LaunchResult => {
      const fault = this.faults.takeLaunch();
      if (!this.#limits.allows('launch', this.#clock.now())) return RATE_EXCEEDED;
      if (signal?.aborted || fault?.kind === 'lost-request') return { kind: 'unknown', message: 'no answer' };
      if (fault?.kind === 'refused') return fault;
      const workload = this.#start(request);
      return fault?.kind === 'lost-answer' ? { kind: 'unknown', message: 'no answer' } : { kind: 'started', workload };
    });
  }

  describe(ids: readonly string[]): Promise<Described> {
    return this.#call('describe', () => ({
      workloads: ids.flatMap((id) => this.#visible(id) ?? []),
      missing: ids.filter((id) => !this.#visible(id)),
    }));
  }

  find(podUid: string): Promise<readonly Workload[]> {
    return this.#call('find', () => this.workloads(podUid).filter(({ id }) => this.#visible(id)));
  }

  async *list({ stopped }: { readonly stopped: boolean }): AsyncIterable<Workload> {
    yield* await this.#call('list', () =>
      this.workloads().filter(({ id, phase }) => this.#visible(id) && (stopped || phase !== 'stopped')),
    );
  }

  stop(id: string, { reason }: { readonly graceSeconds: number; readonly reason: string }): Promise<void> {
    return this.#call('stop', () => {
      const workload = this.#workloads.get(id);
      if (!workload || workload.phase === 'stopped') return;
      const end: WorkloadEnd = workload.end ?? { kind: 'requested', reason: 'Requested', message: reason };
      this.#put(withChange(workload, { phase: 'stopping', stopping: true, end }));
      if (this.stopsAtOnce) this.exit(id, 143);
    });
  }

  async *logs({ workloadId, container, tailLines }: LogQuery): AsyncIterable<Uint8Array> {
    const lines = await this.#call('logs', () => {
      const workload = this.#workloads.get(workloadId);
      const known = workload?.containers.find(({ name }) => name === container);
      if (!known || known.state === 'waiting') throw new NotFoundError(`container ${container} has no log yet`);
      return this.#output.get(`${workloadId} ${container}`) ?? [];
    });
    const encoder = new TextEncoder();
    for (const line of tailLines === undefined ? lines : lines.slice(lines.length - Math.min(tailLines, lines.length)))
      yield encoder.encode(`${line}\n`);
  }

  observationOf(notification: unknown): Workload | undefined {
    return isFakeNotification(notification) ? notification.workload : undefined;
  }

  ping(): Promise<void> {
    return this.#call('ping', () => {});
  }

  collect(): Promise<void> {
    return this.#call('collect', () => {});
  }

  /** Every workload (of one pod), oldest first, hidden ones too: the world as it is. */
  workloads(podUid?: string): readonly Workload[] {
    return [...this.#workloads.values()].filter((workload) => podUid === undefined || workload.podUid === podUid);
  }

  /** Those that are not stopped: never two for one pod. */
  live(podUid?: string): readonly Workload[] {
    return this.workloads(podUid).filter(({ phase }) => phase !== 'stopped');
  }

  get(id: string): Workload {
    const workload = this.#workloads.get(id);
    if (!workload) throw new Error(`the fake provider has no workload ${id}`);
    return workload;
  }

  notificationOf(id: string): FakeNotification {
    return { kind: 'fake-workload', workload: this.get(id) };
  }

  /** Puts a workload there that no launch of ours has made. */
  plant(workload: Workload): void {
    this.#put(workload);
  }

  /** Its image is being pulled. */
  pull(id: string): Workload {
    return this.#put(withChange(this.get(id), { pullStartedAt: this.#clock.now() }));
  }

  /** Running, with an address. */
  run(id: string, ip = `10.0.0.${this.#nextIp++}`): Workload {
    const at = this.#clock.now();
    const workload = this.get(id);
    return this.#put(
      withChange(workload, {
        phase: 'running',
        ips: [ip],
        pullStartedAt: workload.pullStartedAt ?? at,
        pullStoppedAt: at,
        startedAt: at,
        containers: allContainers(workload, ({ name }) => ({ state: 'running', containerId: `fake://${id}/${name}` })),
      }),
    );
  }

  /** Its containers ended by themselves (or, after a stop, by it). */
  exit(id: string, exitCodes?: ExitCodes, container: Partial<WorkloadContainer> = {}): Workload {
    const end: WorkloadEnd = { kind: 'exited', reason: 'Exited', message: 'Essential container in task exited' };
    const stopped = stoppedWorkload(this.get(id), this.#clock.now(), end, exitCodes);
    return this.#put({
      ...stopped,
      containers: stopped.containers.map((one) => ({ ...one, ...container, name: one.name })),
    });
  }

  /** It never ran; `reason` is kubelet's waiting reason. */
  failToStart(id: string, reason: string, message: string): Workload {
    const at = this.#clock.now();
    const stopped = stoppedWorkload(this.get(id), at, { kind: 'failed-to-start', reason, message }, undefined);
    return this.#put({
      ...stopped,
      containers: allContainers(stopped, () => ({ state: 'waiting', reason, message })),
    });
  }

  /** The provider took it away. */
  disrupt(id: string, reason: string, message: string, exitCodes?: ExitCodes): Workload {
    return this.#put(
      stoppedWorkload(this.get(id), this.#clock.now(), { kind: 'disrupted', reason, message }, exitCodes),
    );
  }

  /** `silently`: as at ECS, without a new version and without telling anybody. */
  setHealth(
    id: string,
    health: 'healthy' | 'unhealthy' | 'unknown',
    { silently = false }: { readonly silently?: boolean } = {},
  ): Workload {
    const workload = this.get(id);
    const change = { containers: workload.containers.map((container) => ({ ...container, health })) };
    if (!silently) return this.#put(withChange(workload, change));
    const changed = { ...workload, ...change };
    this.#workloads.set(id, changed);
    return changed;
  }

  /** Something about it changes that says nothing of health, as notifications do not. */
  touch(id: string): void {
    const workload = this.get(id);
    const next = withChange(workload, {});
    this.#workloads.set(id, next);
    this.onChange({ ...next, containers: next.containers.map(({ health: _health, ...container }) => container) });
  }

  /** Not answered by describe, find and list until `show`: the provider's views lag. */
  hide(id: string): void {
    this.#hidden.add(id);
  }

  show(id: string): void {
    this.#hidden.delete(id);
  }

  /** Gone from the provider's memory, as an hour after its end: its token, too, would start another one. */
  forget(id: string): void {
    this.#workloads.delete(id);
    for (const [token, workload] of this.#byToken) if (workload.id === id) this.#byToken.delete(token);
  }

  /** From now on the account has these rate limits. */
  limit(limits: ProviderLimits): void {
    this.#limits = new FakeLimits(limits);
  }

  print(id: string, container: string, ...lines: readonly string[]): void {
    const key = `${id} ${container}`;
    this.#output.set(key, [...(this.#output.get(key) ?? []), ...lines]);
  }

  #start({ body }: LaunchRequest): Workload {
    const { prepared, token } = JSON.parse(body) as { prepared: FakePrepared; token: LaunchToken };
    const key = `${token.podUid} ${token.attempt} ${token.try}`;
    const earlier = this.#byToken.get(key);
    if (earlier) return this.get(earlier.id);
    const id = `fake/${token.podUid}/${token.attempt}.${token.try}`;
    const workload = startingWorkload(id, token, prepared.containers, this.#clock.now());
    this.#byToken.set(key, workload);
    return this.#put(workload);
  }

  #visible(id: string): Workload | undefined {
    return this.#hidden.has(id) ? undefined : this.#workloads.get(id);
  }

  #put(workload: Workload): Workload {
    this.#workloads.set(workload.id, workload);
    this.onChange(workload);
    return workload;
  }

  async #call<T>(method: ProviderMethod, effect: () => T): Promise<T> {
    this.calls.push(method);
    await this.hook(method, 'before');
    this.faults.throwAt(method, 'before');
    if (method !== 'launch' && !this.#limits.allows(method, this.#clock.now()))
      throw new ThrottledError('Rate exceeded');
    const result = effect();
    await this.hook(method, 'after');
    this.faults.throwAt(method, 'after');
    return result;
  }
}

const RATE_EXCEEDED: LaunchResult = { kind: 'refused', cause: 'throttled', final: false, message: 'Rate exceeded' };

const isFakeNotification = (value: unknown): value is FakeNotification =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'fake-workload';
