import type { PodDependencies } from '../../src/controllers/pod/pod-dependencies.ts';
import type { Clock } from '../../src/core/clock.ts';
import { ThrottledError, TransientError } from '../../src/core/errors.ts';
import type { LaunchRequest, LaunchResult } from '../../src/model/launch.ts';
import type { Workload } from '../../src/model/workload.ts';
import type { Provider } from '../../src/ports/provider.ts';
import { podOfCall, podOfLaunch } from './calls.ts';
import type { Outage, Weather } from './weather.ts';

/** A request that is stuck on its way still arrives until its signature has run out. */
const SIGNATURE_LIFE_MS = 5 * 60_000;
/** Beyond the claim of whoever makes the call. */
const SABOTAGE_STALL_MS = 70_000;

/** Methods of the provider that call its service; all the others only compute. */
const PROVIDER_CALLS: ReadonlySet<string> = new Set(['provision', 'launch', 'describe', 'find', 'stop', 'collect']);
const CLAIMS: ReadonlySet<string> = new Set([
  'podStore.claim',
  'podStore.wakeAndClaim',
  'podStore.observeAndClaim',
  'podStore.release',
]);

/** One invocation: dead from one call on, it never gets another answer and never does anything again. */
export class Process {
  readonly name: string;
  #alive = true;
  #finished = false;
  readonly #claims = new Map<string, string>();
  readonly #skewMs: number;
  readonly #weather: Weather;

  constructor(name: string, weather: Weather) {
    this.name = name;
    this.#weather = weather;
    const { chance, profile } = weather;
    this.#skewMs = profile.skewMs > 0 ? chance.amount('skew', 0, profile.skewMs + 1) : 0;
  }

  kill(): void {
    if (!this.#alive || this.#finished) return;
    this.#alive = false;
    this.#weather.log(`${this.name} dies`);
  }

  /** True while it may still do something. */
  get isBusy(): boolean {
    return this.#alive && !this.#finished;
  }

  /** It has done what it was started for. */
  finish(): void {
    this.#finished = true;
  }

  /** The ports as this process sees them: every call may fail, take long, or be its last. */
  dependencies(real: PodDependencies): PodDependencies {
    const { pods, events, sources, cluster } = real.kubernetes;
    return {
      ...real,
      kubernetes: {
        pods: this.#wrap('pods', pods, 'kubernetes'),
        events: this.#wrap('events', events, 'kubernetes'),
        sources: this.#wrap('sources', sources, 'kubernetes'),
        cluster: this.#wrap('cluster', cluster, 'kubernetes'),
      },
      provider: this.#wrap('provider', this.#provider(real.provider), 'provider', PROVIDER_CALLS),
      podStore: this.#wrap('podStore', real.podStore, 'podStore'),
      nodeStore: this.#wrap('nodeStore', real.nodeStore, 'podStore'),
      queue: this.#wrap('queue', real.queue, 'queue'),
      clock: this.#skewMs === 0 ? real.clock : skewed(real.clock, this.#skewMs),
    };
  }

  /** Some launches arrive long after the sender has given up on them; lists break off as other calls do. */
  #provider(provider: Provider): Provider {
    const { profile, chance, after, log, down } = this.#weather;
    const launch = (request: LaunchRequest, signal: AbortSignal): Promise<LaunchResult> => {
      const unanswered: LaunchResult = { kind: 'unknown', message: 'simulated: no answer' };
      const pod = podOfLaunch(request);
      if (down.has('provider')) return Promise.resolve(unanswered);
      if (!chance.befalls('launch arrives late', pod, profile.launchFaults * 0.3))
        return provider.launch(request, signal);
      const ms = chance.amount(`late ${pod}`, 0, SIGNATURE_LIFE_MS);
      log(`${this.name} launch arrives in ${ms} ms`);
      after(ms, () => void provider.launch(request, new AbortController().signal));
      return Promise.resolve(unanswered);
    };
    const list = async function* (this: Process, ...args: Parameters<Provider['list']>): AsyncIterable<Workload> {
      await this.#boundary('provider.list', '', 'provider', 'before');
      for await (const workload of provider.list(...args)) {
        yield workload;
        await this.#boundary('provider.list', '', 'provider', 'after');
      }
    }.bind(this);
    return new Proxy(provider, {
      get: (object, key): unknown => {
        if (key === 'launch') return launch;
        if (key === 'list') return list;
        const member: unknown = Reflect.get(object, key);
        return typeof member === 'function'
          ? (...args: unknown[]): unknown => Reflect.apply(member, object, args)
          : member;
      },
    });
  }

  #wrap<T extends object>(group: string, target: T, system: Outage, calls?: ReadonlySet<string>): T {
    return new Proxy(target, {
      get: (object, key): unknown => {
        const member: unknown = Reflect.get(object, key);
        if (typeof member !== 'function') return member;
        const call = (...args: unknown[]): unknown => Reflect.apply(member, object, args);
        if (calls && !calls.has(String(key))) return call;
        return (...args: unknown[]): unknown => this.#call(`${group}.${String(key)}`, system, args, call);
      },
    });
  }

  async #call(
    name: string,
    system: Outage,
    args: readonly unknown[],
    call: (...args: readonly unknown[]) => unknown,
  ): Promise<unknown> {
    const pod = podOfCall(name, args);
    if (this.#alive) this.#weather.sets({ call: name, args, claims: this.#claims });
    await this.#boundary(name, pod, system, 'before');
    const answer = await call(...args);
    if (CLAIMS.has(name)) this.#noteClaim(answer);
    await this.#boundary(name, pod, system, 'after');
    return answer;
  }

  #noteClaim(row: unknown): void {
    if (typeof row !== 'object' || row === null || !('claim' in row) || !('pod' in row)) return;
    const { pod, claim } = row as { readonly pod: { readonly uid: string }; readonly claim?: { readonly id: string } };
    if (claim) this.#claims.set(pod.uid, claim.id);
  }

  async #boundary(call: string, pod: string, system: Outage, when: 'before' | 'after'): Promise<void> {
    const { profile, chance, clock, log, down, sabotage } = this.#weather;
    if (!this.#alive) return forever();
    const where = `${call} ${when}${pod && ` ${pod}`}`;
    if (profile.latencyMs > 0) await clock.sleep(chance.amount(where, 0, profile.latencyMs));
    if (!this.#alive) return forever();
    // A launch answers what it knows of silence itself.
    if (when === 'before' && down.has(system) && call !== 'provider.launch')
      throw new TransientError('simulated outage');
    const sabotaged = sabotage?.(where);
    if (sabotaged === 'death' || chance.befalls('death', where, profile.deaths)) {
      log(`${this.name} ${where}: death`);
      this.kill();
      return forever();
    }
    if (sabotaged === 'throttle' || chance.befalls('throttle', where, profile.errors * 0.2)) {
      log(`${this.name} ${where}: throttle`);
      throw new ThrottledError('simulated');
    }
    if (sabotaged === 'error' || chance.befalls('error', where, profile.errors)) {
      log(`${this.name} ${where}: error`);
      throw new TransientError('simulated');
    }
    if (sabotaged === 'stall' || chance.befalls('stall', where, profile.stalls)) {
      const most = isSending(call) ? SIGNATURE_LIFE_MS : 15 * 60_000;
      const ms = sabotaged ? SABOTAGE_STALL_MS : Math.floor(1_000 + chance.draw(`stalled ${where}`) ** 3 * most);
      log(`${this.name} ${where}: stall of ${ms} ms`);
      await clock.sleep(ms);
      if (!this.#alive) return forever();
    }
  }
}

/** Effects on their way: what arrives later than its signature lives is refused. */
const isSending = (call: string): boolean => ['provider.launch', 'provider.stop'].includes(call);

const forever = (): Promise<never> => new Promise(() => {});

const skewed = (clock: Clock, aheadMs: number): Clock => ({
  now: () => clock.now() + aheadMs,
  sleep: (ms, signal) => clock.sleep(ms, signal),
});
