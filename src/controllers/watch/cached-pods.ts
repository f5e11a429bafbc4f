import { ConflictError, NotFoundError } from '../../core/errors.ts';
import type { Pod, PodMetadata } from '../../model/kubernetes.ts';
import type { PodIdentity } from '../../model/pod-identity.ts';
import type { PodsApi, StatusPatch } from '../../ports/kubernetes.ts';
import type { PodCache } from './pod-cache.ts';

/**
 * Pods of the watched node out of the cache, kept in step with our own writes. A pod that is not there, and one that a
 * write found to be another than we thought, is read at the server: not being in a cache is no proof of anything.
 */
export class CachedPods implements PodsApi {
  readonly #live: PodsApi;
  readonly #cache: PodCache;

  constructor(live: PodsApi, cache: PodCache) {
    this.#live = live;
    this.#cache = cache;
  }

  async get(namespace: string, name: string, signal: AbortSignal): Promise<Pod> {
    const held = this.#cache.get(namespace, name);
    if (held) return held;
    const pod = await this.#live.get(namespace, name, signal);
    this.#cache.answered(pod);
    return pod;
  }

  async listMetadata(): Promise<readonly PodMetadata[]> {
    return this.#cache.list().map(({ metadata }) => ({ metadata: metadata ?? {} }));
  }

  async list(): Promise<readonly Pod[]> {
    return this.#cache.list();
  }

  async patchStatus(pod: PodIdentity, version: string, status: StatusPatch, signal: AbortSignal): Promise<Pod> {
    const answer = await this.#doubting(pod, () => this.#live.patchStatus(pod, version, status, signal));
    this.#cache.answered(answer);
    return answer;
  }

  async delete(pod: PodIdentity, options: { readonly graceSeconds: number }, signal: AbortSignal): Promise<void> {
    await this.#doubting(pod, () => this.#live.delete(pod, options, signal));
    if (options.graceSeconds === 0) this.#cache.left(pod);
  }

  async #doubting<T>({ namespace, name }: PodIdentity, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (error instanceof ConflictError || error instanceof NotFoundError) this.#cache.doubt(namespace, name);
      throw error;
    }
  }
}
