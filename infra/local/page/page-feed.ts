import type { TaskRecord } from '../aws/ecs/tasks/task-record.ts';
import { type ReadingClient, readCluster } from './cluster-watch.ts';
import { type ClusterView, nameOf, toPageState } from './to-page-state.ts';

export interface FeedOptions {
  readonly client: ReadingClient;
  readonly tasks: () => readonly TaskRecord[];
  readonly runtime: string;
  readonly nodeNames: readonly string[];
  /** How often it looks while somebody watches. */
  readonly everyMs?: number;
}

/** Takes one state of the page as JSON. */
export type Viewer = (state: string) => void;

/** Looks at the cluster and the tasks while at least one viewer is there, and tells all viewers of each change. */
export class PageFeed {
  readonly #options: FeedOptions;
  readonly #viewers = new Set<Viewer>();
  readonly #podNames = new Map<string, string>();
  #cluster: ClusterView = { nodes: [], leases: [], pods: [], events: [] };
  #last: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Answers how to leave again. */
  watch(viewer: Viewer): () => void {
    this.#viewers.add(viewer);
    if (this.#last !== undefined) viewer(this.#last);
    if (this.#viewers.size === 1) void this.#look();
    return () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#last = undefined;
    };
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#viewers.clear();
  }

  async #look(): Promise<void> {
    const { client, tasks, runtime, nodeNames, everyMs = 1_000 } = this.#options;
    this.#cluster = await readCluster(client, nodeNames, this.#cluster);
    for (const pod of this.#cluster.pods) this.#podNames.set(pod.metadata?.uid ?? '', nameOf(pod));
    const sources = { ...this.#cluster, runtime, nodeNames, tasks: tasks(), podNames: this.#podNames };
    const state = JSON.stringify(toPageState(sources));
    if (this.#closed || this.#viewers.size === 0) return;
    if (state !== this.#last) for (const viewer of this.#viewers) viewer(state);
    this.#last = state;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), everyMs);
  }
}
