import { NotFoundError } from '../../../src/core/errors.ts';
import type { Pod, PodMetadata, PodStatus } from '../../../src/model/kubernetes.ts';
import type { PodIdentity } from '../../../src/model/pod-identity.ts';
import type { PodsApi, StatusPatch } from '../../../src/ports/kubernetes.ts';
import type { CallLog } from './call-log.ts';
import type { Collection, ServerClock } from './collection.ts';
import { servedStatus } from './pod-defaults.ts';
import { deletePodGracefully } from './pod-rules.ts';
import { checkPodStatus } from './pod-status-rules.ts';
import { strategicMerge } from './strategic-merge.ts';

/** Pods as our client sees them. */
export class FakePods implements PodsApi {
  readonly #pods: Collection<Pod>;
  readonly #server: ServerClock;
  readonly #log: CallLog;

  constructor(pods: Collection<Pod>, server: ServerClock, log: CallLog) {
    this.#pods = pods;
    this.#server = server;
    this.#log = log;
  }

  get(namespace: string, name: string, signal: AbortSignal): Promise<Pod> {
    return this.#log.run('pods.get', [namespace, name], signal, () => this.#pods.get(namespace, name));
  }

  listMetadata(node: string, signal: AbortSignal): Promise<readonly PodMetadata[]> {
    return this.#log.run('pods.listMetadata', [node], signal, () =>
      this.#on(node).map(({ metadata }) => ({ metadata: metadata ?? {} })),
    );
  }

  list(node: string, signal: AbortSignal): Promise<readonly Pod[]> {
    return this.#log.run('pods.list', [node], signal, () => this.#on(node));
  }

  patchStatus(pod: PodIdentity, resourceVersion: string, status: StatusPatch, signal: AbortSignal): Promise<Pod> {
    return this.#log.run('pods.patchStatus', [pod, resourceVersion, status], signal, () =>
      this.#pods.write(
        pod.namespace,
        pod.name,
        (current) => {
          const merged = servedStatus(strategicMerge(current.status ?? {}, status) as PodStatus);
          checkPodStatus(current, merged);
          return { ...current, status: merged };
        },
        { uid: pod.uid, resourceVersion },
      ),
    );
  }

  delete(pod: PodIdentity, options: { readonly graceSeconds: number }, signal: AbortSignal): Promise<void> {
    return this.#log.run('pods.delete', [pod, options], signal, () => this.remove(pod, options.graceSeconds, pod.uid));
  }

  /** DELETE as anybody sends it. */
  remove({ namespace, name }: Omit<PodIdentity, 'uid'>, graceSeconds?: number, uid?: string): void {
    const pod = this.#pods.find(namespace, name);
    if (!pod) throw new NotFoundError(`pods "${name}" not found`);
    if (uid !== undefined) this.#pods.check(pod, { uid });
    const kept = deletePodGracefully(pod, graceSeconds, this.#server);
    if (kept) this.#pods.write(namespace, name, () => kept);
    else this.#pods.remove(namespace, name);
  }

  #on(node: string): Pod[] {
    return this.#pods.list().filter(({ spec }) => spec?.nodeName === node);
  }
}
