import { type RateLimit, TokenBucket } from '../token-bucket.ts';
import type { ProviderMethod } from './fake-faults.ts';

/** Rate limits of one account in one region, as ECS has them. */
export interface ProviderLimits {
  /** RunTask on Fargate. */
  readonly launch: RateLimit;
  /** RunTask and StopTask together. */
  readonly modify: RateLimit;
  /** DescribeTasks and ListTasks. */
  readonly read: RateLimit;
}

export const ECS_LIMITS: ProviderLimits = {
  launch: { burst: 100, perSecond: 20 },
  modify: { burst: 100, perSecond: 40 },
  read: { burst: 100, perSecond: 20 },
};

const BUCKETS: Readonly<Partial<Record<ProviderMethod, readonly (keyof ProviderLimits)[]>>> = {
  launch: ['launch', 'modify'],
  stop: ['modify'],
  describe: ['read'],
  find: ['read'],
  list: ['read'],
};

/** Counts the calls of a fake provider against the limits of its account. */
export class FakeLimits {
  readonly #buckets: Readonly<Record<keyof ProviderLimits, TokenBucket>>;

  constructor({ launch, modify, read }: ProviderLimits) {
    this.#buckets = { launch: new TokenBucket(launch), modify: new TokenBucket(modify), read: new TokenBucket(read) };
  }

  /** False where the service would answer that its rate is exceeded. */
  allows(method: ProviderMethod, now: number): boolean {
    return (BUCKETS[method] ?? []).every((name) => this.#buckets[name].take(now));
  }
}
