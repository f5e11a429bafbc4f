import { type BucketSize, TokenBucket } from './token-bucket.ts';

/**
 * AWS's default request buckets of an account in one region. ECS: spec of the service's API throttling; Fargate launches:
 * 100 at once and 20 a second, on-demand and Spot apart; CloudWatch Logs: the service quotas of a larger region.
 * Secrets Manager and KMS: their service quotas. Those of cluster objects, sessions and Parameter Store's writes are the published defaults as far as they are known.
 */
export const awsBuckets = {
  'task-definition-modify': { burst: 20, perSecond: 1 },
  'task-definition-read': { burst: 50, perSecond: 20 },
  'task-definition-delete': { burst: 5, perSecond: 1 },
  'cluster-modify': { burst: 50, perSecond: 20 },
  'cluster-read': { burst: 50, perSecond: 20 },
  'cluster-resource-modify': { burst: 100, perSecond: 40 },
  'cluster-resource-read': { burst: 100, perSecond: 20 },
  'tag-modify': { burst: 20, perSecond: 10 },
  'tag-read': { burst: 50, perSecond: 20 },
  'fargate-launch': { burst: 100, perSecond: 20 },
  'fargate-spot-launch': { burst: 100, perSecond: 20 },
  'get-log-events': { burst: 25, perSecond: 25 },
  'filter-log-events': { burst: 10, perSecond: 10 },
  'describe-log-streams': { burst: 25, perSecond: 25 },
  'put-log-events': { burst: 5000, perSecond: 5000 },
  'logs-other': { burst: 50, perSecond: 50 },
  'parameters-read': { burst: 40, perSecond: 40 },
  'parameters-write': { burst: 10, perSecond: 3 },
  sessions: { burst: 20, perSecond: 20 },
  'secrets-read': { burst: 10_000, perSecond: 10_000 },
  'secrets-write': { burst: 50, perSecond: 50 },
  'secrets-list': { burst: 100, perSecond: 100 },
  'keys-modify': { burst: 5, perSecond: 5 },
  'keys-read': { burst: 2000, perSecond: 2000 },
  'keys-use': { burst: 10_000, perSecond: 10_000 },
} as const satisfies Record<string, BucketSize>;

export type BucketName = keyof typeof awsBuckets;

/** Other sizes for some buckets; `off` takes all throttling away. */
export type ThrottleSettings = 'off' | Readonly<Partial<Record<BucketName, BucketSize>>>;

/** All buckets of the account. */
export class Throttles {
  readonly #settings: ThrottleSettings;
  readonly #now: () => number;
  readonly #buckets = new Map<BucketName, TokenBucket>();

  constructor(settings: ThrottleSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** False where the caller must be told "Rate exceeded". */
  allows(name: BucketName, count = 1): boolean {
    if (this.#settings === 'off') return true;
    const now = this.#now();
    const bucket = this.#buckets.get(name) ?? new TokenBucket(this.#settings[name] ?? awsBuckets[name], now);
    this.#buckets.set(name, bucket);
    return bucket.take(now, count);
  }
}
