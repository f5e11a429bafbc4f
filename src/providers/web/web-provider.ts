import type { Clock } from '../../core/clock.ts';
import { stableJson } from '../../core/digest.ts';
import { InvalidError, ignoreNotFound, NotFoundError, PermanentError, TransientError } from '../../core/errors.ts';
import type { ResolvedEnvironment } from '../../model/environment.ts';
import type { Pod } from '../../model/kubernetes.ts';
import type { LaunchRequest, LaunchResult, LaunchToken } from '../../model/launch.ts';
import type { LogQuery } from '../../model/log-query.ts';
import type { Workload } from '../../model/workload.ts';
import type { WorkloadStats } from '../../model/workload-stats.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Described, PodSources, Preparation, Provider } from '../../ports/provider.ts';
import type { HttpClient, WebCall } from './http-client.ts';
import { resultOfAnswer, resultOfError } from './launch-result.ts';
import { describedSchema, pageSchema, preparedSchema, readAnswer, statsSchema } from './protocol.ts';
import { watchChanges } from './watch-changes.ts';

/** What the service is told of a pod. `environment` may hold values of Secrets. */
export interface WebPrepared {
  readonly node: string;
  readonly pod: Pod;
  readonly environment: ResolvedEnvironment;
}

/** Ids in one call. */
const BATCH = 100;

/** Runs pods by a service that speaks the protocol of docs/web-provider.openapi.yaml, and keeps nothing itself. */
export class WebProvider implements Provider<WebPrepared> {
  readonly name = 'web';
  readonly #client: HttpClient;
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor({
    client,
    clock,
    logger,
  }: { readonly client: HttpClient; readonly clock: Clock; readonly logger: Logger }) {
    this.#client = client;
    this.#clock = clock;
    this.#logger = logger;
  }

  prepare({ metadata = {}, spec }: Pod, { node, environment }: PodSources): Preparation<WebPrepared> {
    const { name, namespace, uid, labels, annotations, ownerReferences } = metadata;
    // Only what belongs to the pod itself: versions and managed fields change without it.
    const known = Object.entries({ name, namespace, uid, labels, annotations, ownerReferences });
    const pod: Pod = {
      metadata: Object.fromEntries(known.filter(([, value]) => value !== undefined)),
      ...(spec && { spec }),
    };
    return { ok: true, prepared: { node, pod, environment }, notes: [], summary: '' };
  }

  async provision(prepared: WebPrepared, token: LaunchToken, signal: AbortSignal): Promise<LaunchRequest> {
    const answer = await this.#post('prepare', prepared, signal);
    const outcome = readAnswer(preparedSchema, answer, 'POST prepare');
    if (outcome.ok) return { body: stableJson({ token, preparation: outcome.preparation }) };
    const { problems } = outcome;
    const texts = problems.map(({ field, message }) => `${field}: ${message}`);
    throw new InvalidError(texts.join('; '), { problems });
  }

  async launch({ body }: LaunchRequest, signal: AbortSignal): Promise<LaunchResult> {
    try {
      return resultOfAnswer(await this.#client.json({ method: 'POST', path: 'launch', body, once: true }, signal));
    } catch (error) {
      return resultOfError(error);
    }
  }

  async describe(ids: readonly string[], signal: AbortSignal): Promise<Described> {
    const batches: Described[] = [];
    for (let start = 0; start < ids.length; start += BATCH)
      batches.push(await this.#describe(ids.slice(start, start + BATCH), signal));
    return {
      workloads: batches.flatMap(({ workloads }) => workloads),
      missing: batches.flatMap(({ missing }) => missing),
    };
  }

  async find(podUid: string, signal: AbortSignal): Promise<readonly Workload[]> {
    const found: Workload[] = [];
    for await (const workload of this.#pages({ podUid }, signal)) if (workload.podUid === podUid) found.push(workload);
    return found;
  }

  async *list({ stopped }: { readonly stopped: boolean }, signal: AbortSignal): AsyncIterable<Workload> {
    for await (const workload of this.#pages({ stopped: String(stopped) }, signal))
      if (stopped || workload.phase !== 'stopped') yield workload;
  }

  async stop(
    id: string,
    { graceSeconds, reason }: { readonly graceSeconds: number; readonly reason: string },
    signal: AbortSignal,
  ): Promise<void> {
    const body = JSON.stringify({ id, graceSeconds, reason });
    await ignoreNotFound(this.#client.json({ method: 'POST', path: 'stop', body }, signal));
  }

  logs(query: LogQuery, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const { workloadId, container, follow, timestamps, tailLines, limitBytes, sinceTime } = query;
    return this.#client.stream(
      {
        method: 'GET',
        path: 'logs',
        query: {
          id: workloadId,
          container,
          follow: String(follow),
          timestamps: String(timestamps),
          tailLines: tailLines?.toString(),
          limitBytes: limitBytes?.toString(),
          sinceTime,
        },
      },
      signal,
    );
  }

  /** The service tells by {@link watch}. */
  observationOf(): undefined {}

  watch(onChange: (workload: Workload) => void): () => void {
    const ended = new AbortController();
    const parts = { client: this.#client, clock: this.#clock, logger: this.#logger };
    void watchChanges(parts, onChange, ended.signal);
    return () => ended.abort();
  }

  async stats(signal: AbortSignal): Promise<readonly WorkloadStats[]> {
    const answer = await this.#client.json({ method: 'GET', path: 'stats' }, signal);
    return readAnswer(statsSchema, answer, 'GET stats').workloads;
  }

  async ping(signal: AbortSignal): Promise<void> {
    await this.#call({ method: 'GET', path: 'ping' }, signal);
  }

  /** The service keeps its own house. */
  async collect(): Promise<void> {}

  async #describe(ids: readonly string[], signal: AbortSignal): Promise<Described> {
    const answer = readAnswer(describedSchema, await this.#post('describe', { ids }, signal), 'POST describe');
    const workloads = answer.workloads.filter(({ id }) => ids.includes(id));
    const known = new Set(workloads.map(({ id }) => id));
    const missing = ids.filter((id) => !known.has(id));
    // Forgetting an id must not read as its absence.
    if (missing.some((id) => !answer.missing.includes(id)))
      throw new TransientError('POST describe: an id is neither in workloads nor in missing');
    return { workloads, missing };
  }

  async *#pages(query: NonNullable<WebCall['query']>, signal: AbortSignal): AsyncIterable<Workload> {
    const seen = new Set<string>();
    for (let page: string | undefined; ; ) {
      const answer = await this.#call({ method: 'GET', path: 'workloads', query: { ...query, page } }, signal);
      const { workloads, next } = readAnswer(pageSchema, answer, 'GET workloads');
      yield* workloads;
      if (next === undefined) return;
      if (seen.has(next)) throw new PermanentError('GET workloads: next names a page that was read before');
      seen.add(next);
      page = next;
    }
  }

  #post(path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    return this.#call({ method: 'POST', path, body: JSON.stringify(body) }, signal);
  }

  /** A path that must be there: what is not found is the path. */
  async #call(call: WebCall, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#client.json(call, signal);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      throw new PermanentError(`${error.message}: url leads to no service of this protocol`, { cause: error });
    }
  }
}
