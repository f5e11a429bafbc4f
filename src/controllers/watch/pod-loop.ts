import type { QueueMessage } from '../../model/messages.ts';
import type { Workload } from '../../model/workload.ts';
import type { Logger } from '../../ports/logger.ts';
import type { PodStore } from '../../ports/pod-store.ts';
import type { SpanStart, Tracer } from '../../ports/tracer.ts';
import type { PodController, Take } from '../pod/pod-controller.ts';
import type { Describe } from '../pod/pod-sync.ts';

/** What has come for one pod since it was last worked on. */
export interface PodNews {
  readonly message?: QueueMessage;
  readonly observations: readonly Workload[];
}

export interface TakenPod {
  /** The UID. */
  readonly key: string;
  readonly item: PodNews;
  readonly waitedMs: number;
}

/** Where the loop takes its work: one pod at a time, and never one that is in progress. */
export interface PodSource {
  /** Waits for news. Rejects when `signal` aborts. */
  take(signal: AbortSignal): Promise<TakenPod>;
  done(podUid: string): void;
  /** The same news again, after a back-off of this pod. */
  failed(podUid: string, news: PodNews): void;
}

/** Told of every pod that was worked on. */
export interface SyncObserver {
  taken(waitedMs: number): void;
  /** `ms` from the first look at the news to the end of the reconcile. */
  ended(result: 'success' | 'error', ms: number): void;
}

export interface PodLoopOptions {
  readonly source: PodSource;
  readonly podStore: PodStore;
  readonly controller: Pick<PodController, 'claim' | 'run' | 'reconcile'>;
  /** Asked instead of the provider in the first pass over a pod: what was just read for many need not be read again. */
  readonly describe?: Describe;
  readonly clock: { now(): number };
  readonly logger: Logger;
  readonly observer?: SyncObserver;
  /** A trace for each pod taken, from its wake on. */
  readonly tracer?: Tracer;
}

/** The workers of a process: each takes a pod with news, makes the news durable, and reconciles the pod. */
export class PodLoop {
  readonly #options: PodLoopOptions;

  constructor(options: PodLoopOptions) {
    this.#options = options;
  }

  /**
   * Works with so many workers until `taking` aborts; resolves once the last of them has finished what it had taken.
   * `working` cuts that short. Never rejects.
   */
  async run(
    workers: number,
    { taking, working }: { readonly taking: AbortSignal; readonly working: AbortSignal },
  ): Promise<void> {
    await Promise.all(Array.from({ length: workers }, () => this.#worker(taking, working)));
  }

  async #worker(taking: AbortSignal, working: AbortSignal): Promise<void> {
    const { source, clock, observer } = this.#options;
    while (!taking.aborted) {
      const taken = await source.take(taking).catch(() => undefined);
      if (taken === undefined) return;
      observer?.taken(taken.waitedMs);
      const began = clock.now();
      const result = await this.#work(taken, working);
      observer?.ended(result, clock.now() - began);
    }
  }

  async #work({ key: podUid, item: news, waitedMs }: TakenPod, signal: AbortSignal): Promise<'success' | 'error'> {
    const { source, logger, tracer } = this.#options;
    const bringOn = (): Promise<void> => this.#bringOn(podUid, news, signal);
    try {
      if (tracer) await tracer.span(wakeSpan(podUid, news, waitedMs), () => tracer.span(RECONCILE, bringOn));
      else await bringOn();
      source.done(podUid);
      return 'success';
    } catch (error) {
      if (!signal.aborted) logger.error('pod not worked on; it is tried again', { podUid, error });
      source.failed(podUid, news);
      return 'error';
    }
  }

  /** A single piece of news is entered and the pod claimed in one write, where nobody holds it. */
  async #bringOn(podUid: string, news: PodNews, signal: AbortSignal): Promise<void> {
    const { controller, describe } = this.#options;
    const take = takeOf(news);
    const claimed = take && (await controller.claim(podUid, signal, undefined, take));
    if (claimed) await controller.run(claimed, describe && { describe });
    else if (await this.#enter(news)) await controller.reconcile(podUid, signal);
  }

  /** Makes the news durable. True where a reconcile is wanted. */
  async #enter({ message, observations }: PodNews): Promise<boolean> {
    const { podStore } = this.#options;
    let wanted = message?.kind === 'wake' && (await podStore.wake(message)) === 'wanted';
    for (const workload of observations) wanted = (await podStore.observe(workload)) !== undefined || wanted;
    return wanted;
  }
}

const RECONCILE: SpanStart = { name: 'pod.reconcile' };

/** From the wake on: what lies before its `pod.reconcile` is the wait in the queue. */
const wakeSpan = (podUid: string, { message, observations }: PodNews, waitedMs: number): SpanStart => ({
  name: 'pod.wake',
  startedMsAgo: waitedMs,
  attributes: {
    'k8s.pod.uid': podUid,
    'svk.observations': observations.length,
    ...(message?.kind === 'wake' && {
      'k8s.namespace.name': message.namespace,
      'k8s.pod.name': message.name,
      'svk.wake.reason': message.reason,
    }),
  },
});

const takeOf = ({ message, observations: [workload, ...others] }: PodNews): Take | undefined => {
  if (message?.kind === 'wake' && !workload) return (store, request) => store.wakeAndClaim(message, request);
  if (!message && workload && others.length === 0) return (store, request) => store.observeAndClaim(workload, request);
  return undefined;
};
