import type { Workload } from '../../model/workload.ts';
import { nodeEvent } from './events/kubernetes-event.ts';
import type { PodDependencies } from './pod-dependencies.ts';
import { ABSENCE_CHECK_MS, ABSENCE_MIN_AGE_MS } from './timing.ts';

/** Stops what runs for no pod: its row is gone and its pod too, so that nobody else will ever ask. */
export class TaskCollector {
  readonly #dependencies: Omit<PodDependencies, 'random'>;

  constructor(dependencies: Omit<PodDependencies, 'random'>) {
    this.#dependencies = dependencies;
  }

  /**
   * One sweep over the deployment's workloads, for all of its nodes together. A workload whose pod is listed gets a wake;
   * one that no row knows and no list shows, twice, ten seconds apart, is stopped, once it is older than a minute and
   * if the API server still is the cluster every node was registered with. Then the provider collects its own.
   */
  async run(nodes: readonly string[], signal: AbortSignal): Promise<void> {
    const { provider, clock, logger } = this.#dependencies;
    const unknown = await this.#withoutRow(signal);
    if (unknown.length > 0) {
      const missing = await this.#notListed(unknown, nodes, signal);
      const old = missing.filter(
        ({ createdAt }) => createdAt !== undefined && clock.now() - createdAt > ABSENCE_MIN_AGE_MS,
      );
      if (old.length > 0) {
        await clock.sleep(ABSENCE_CHECK_MS, signal);
        const orphans = await this.#notListed(old, nodes, signal);
        if (orphans.length > 0 && (await this.#isOurCluster(nodes, signal)))
          await this.#stopAll(orphans, nodes, signal);
      }
    }
    await provider.collect(signal);
    logger.info('tasks collected', { withoutRow: unknown.length });
  }

  /** Live workloads of ours that no row remembers. Those a row does remember are read by their own timers. */
  async #withoutRow(signal: AbortSignal): Promise<readonly Workload[]> {
    const { provider, podStore } = this.#dependencies;
    const found: Workload[] = [];
    for await (const workload of provider.list({ stopped: false }, signal)) {
      if (workload.podUid === undefined) continue;
      const row = await podStore.get(workload.podUid);
      if (!row) found.push(workload);
      // A second workload of a known pod: its row must hear of it.
      else if (!row.state.attempts.some(({ workloadId }) => workloadId === workload.id))
        await this.#tell(workload, signal);
    }
    return found;
  }

  async #tell(workload: Workload, signal: AbortSignal): Promise<void> {
    const { podStore, queue } = this.#dependencies;
    const pod = await podStore.observe(workload);
    if (pod) await queue.send([{ message: { v: 1, kind: 'wake', reason: 'timer', ...pod } }], signal);
  }

  /** Those whose pod is on none of the nodes; the pods of the others are woken, which makes their rows. */
  async #notListed(
    workloads: readonly Workload[],
    nodes: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Workload[]> {
    const { kubernetes, queue } = this.#dependencies;
    const missing = new Map(workloads.map((workload) => [workload.podUid, workload]));
    for (const node of nodes) {
      for (const { metadata } of await kubernetes.pods.listMetadata(node, signal)) {
        const { namespace = '', name = '', uid } = metadata;
        if (uid === undefined || !missing.delete(uid)) continue;
        await queue.send([{ message: { v: 1, kind: 'wake', reason: 'resync', namespace, name, uid, node } }], signal);
      }
    }
    return workloads.filter(({ podUid }) => missing.has(podUid));
  }

  async #isOurCluster(nodes: readonly string[], signal: AbortSignal): Promise<boolean> {
    const { kubernetes, nodeStore, logger } = this.#dependencies;
    const actual = (await kubernetes.cluster.namespace('kube-system', signal)).metadata?.uid;
    const rows = await Promise.all(nodes.map((node) => nodeStore.get(node)));
    const isOurs = actual !== undefined && rows.length > 0 && rows.every((row) => row?.clusterId === actual);
    if (!isOurs)
      logger.error('the API server is not the one the nodes were registered with: nothing is stopped', { actual });
    return isOurs;
  }

  async #stopAll(orphans: readonly Workload[], nodes: readonly string[], signal: AbortSignal): Promise<void> {
    const { provider, podStore, logger } = this.#dependencies;
    for (const { id, podUid } of orphans) {
      if (podUid !== undefined && (await podStore.get(podUid))) continue;
      logger.warn('orphaned workload stopped', { workloadId: id, podUid });
      await provider.stop(id, { graceSeconds: 30, reason: 'its pod is gone' }, signal);
      await this.#tellOperator(id, podUid, nodes, signal);
    }
  }

  /** Best effort: an event on the first node, for which of them the workload ran is not known any more. */
  async #tellOperator(
    id: string,
    podUid: string | undefined,
    [node]: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { kubernetes, clock, logger } = this.#dependencies;
    if (node === undefined) return;
    const message = `Stopped ${id}: it ran for pod ${podUid ?? 'of no name'}, which is gone`;
    const event = { key: `0/OrphanTaskStopped/${id}`, type: 'Warning', reason: 'OrphanTaskStopped', message } as const;
    try {
      await kubernetes.events.create(nodeEvent(node, event, clock.now()), signal);
    } catch (error) {
      logger.warn('event not recorded', { node, reason: event.reason, error });
    }
  }
}
