import type { PodDependencies } from '../../src/controllers/pod/pod-dependencies.ts';
import type { Clock, Random } from '../../src/core/clock.ts';
import { ThrottledError, TransientError } from '../../src/core/errors.ts';
import type { LaunchRequest, LaunchResult } from '../../src/model/launch.ts';
import type { Provider } from '../../src/ports/provider.ts';
import type { Profile } from './profile.ts';

/** A request that is stuck on its way still arrives until its signature has run out. */
const SIGNATURE_LIFE_MS = 5 * 60_000;

/** What befalls a process at its calls; the simulation turns it off when the world is to come to rest. */
export interface Weather {
  profile: Profile;
  readonly random: Random;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly after: (ms: number, act: () => void) => void;
  /** Somebody sets out to make this call. */
  readonly sets: (call: string, args: readonly unknown[]) => void;
}

/** One invocation: dead from one call on, it never gets another answer and never does anything again. */
export class Process {
  readonly name: string;
  #alive = true;
  #finished = false;
  readonly #weather: Weather;

  constructor(name: string, weather: Weather) {
    this.name = name;
    this.#weather = weather;
  }

  kill(): void {
    if (!this.#alive || this.#finished) return;
    this.#alive = false;
    this.#weather.log(`${this.name} dies`);
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
        pods: this.#wrap('pods', pods),
        events: this.#wrap('events', events),
        sources: this.#wrap('sources', sources),
        cluster: this.#wrap('cluster', cluster),
      },
      provider: this.#wrap('provider', this.#withLateLaunches(real.provider), [
        'prepare',
        'observationOf',
        'allocatable',
        'list',
      ]),
      podStore: this.#wrap('podStore', real.podStore),
      nodeStore: this.#wrap('nodeStore', real.nodeStore),
      queue: this.#wrap('queue', real.queue),
    };
  }

  /** Some launches arrive long after the sender has given up on them. */
  #withLateLaunches(provider: Provider): Provider {
    const { profile, random, after, log } = this.#weather;
    const launch = (request: LaunchRequest, signal: AbortSignal): Promise<LaunchResult> => {
      if (random.next() >= profile.launchFaults * 0.3) return provider.launch(request, signal);
      const ms = random.next() * SIGNATURE_LIFE_MS;
      log(`${this.name} launch arrives in ${Math.floor(ms)} ms`);
      after(ms, () => void provider.launch(request, new AbortController().signal));
      return Promise.resolve({ kind: 'unknown', message: 'simulated: no answer' });
    };
    return new Proxy(provider, {
      get: (object, key): unknown => {
        const member: unknown = key === 'launch' ? launch : Reflect.get(object, key);
        return typeof member === 'function'
          ? (...args: unknown[]): unknown => Reflect.apply(member, object, args)
          : member;
      },
    });
  }

  #wrap<T extends object>(group: string, target: T, pure: readonly string[] = []): T {
    return new Proxy(target, {
      get: (object, key): unknown => {
        const member: unknown = Reflect.get(object, key);
        if (typeof member !== 'function') return member;
        const call = (...args: unknown[]): unknown => Reflect.apply(member, object, args);
        if (pure.includes(String(key))) return call;
        return async (...args: unknown[]): Promise<unknown> => {
          const name = `${group}.${String(key)}`;
          if (this.#alive) this.#weather.sets(name, args);
          await this.#boundary(name, 'before');
          const answer = await call(...args);
          await this.#boundary(name, 'after');
          return answer;
        };
      },
    });
  }

  async #boundary(call: string, when: 'before' | 'after'): Promise<void> {
    const { profile, random, clock, log } = this.#weather;
    if (!this.#alive) return forever();
    if (profile.latencyMs > 0) await clock.sleep(Math.floor(random.next() * profile.latencyMs));
    if (!this.#alive) return forever();
    const luck = random.next();
    if (luck < profile.deaths) {
      log(`${this.name} ${call}: death ${when}`);
      this.kill();
      return forever();
    }
    if (luck < profile.deaths + profile.errors) {
      log(`${this.name} ${call}: error ${when}`);
      throw random.next() < 0.2 ? new ThrottledError('simulated') : new TransientError('simulated');
    }
    if (luck < profile.deaths + profile.errors + profile.stalls) {
      const ms = Math.floor(1_000 + random.next() ** 3 * (isSending(call) ? SIGNATURE_LIFE_MS : 15 * 60_000));
      log(`${this.name} ${call}: stall ${when} of ${ms} ms`);
      await clock.sleep(ms);
      if (!this.#alive) return forever();
    }
  }
}

/** Effects on their way: what arrives later than its signature lives is refused. */
const isSending = (call: string): boolean => ['provider.launch', 'provider.stop'].includes(call);

const forever = (): Promise<never> => new Promise(() => {});
