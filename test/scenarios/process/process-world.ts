import { MemoryNodeStore } from '../../../src/adapters/memory/node-store.ts';
import { MemoryPodStore } from '../../../src/adapters/memory/pod-store.ts';
import { NO_METRICS } from '../../../src/app/no-metrics.ts';
import { createNodeProcess, type NodeProcess, type NodeProcessParts } from '../../../src/app/process/node-process.ts';
import { runNode } from '../../../src/app/process/run-node.ts';
import type { Pod, Service } from '../../../src/model/kubernetes.ts';
import { FakeClock, SeededRandom } from '../../fakes/clock.ts';
import { FakeKubernetes } from '../../fakes/kubernetes/fake-kubernetes.ts';
import { emptyListWatch, FakePodWatch } from '../../fakes/kubernetes/fake-list-watch.ts';
import { InstantProvider } from '../../fakes/provider/instant-provider.ts';
import { aPod, type PodWish } from '../../support/a-pod.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';

export const NODE = 'fargate';

const KUBERNETES_SERVICE: Service = {
  metadata: { name: 'kubernetes', namespace: 'default' },
  spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, protocol: 'TCP' }] },
};

/** The process mode on fakes: the node, its watch, queue and timers as `svk run` wires them. Time passes only in `pass`. */
export class ProcessWorld {
  readonly clock = new FakeClock();
  readonly kubernetes = new FakeKubernetes({ clock: this.clock });
  readonly watch = new FakePodWatch(this.kubernetes, NODE);
  readonly logger = new RecordingLogger();
  readonly provider: InstantProvider;
  podStore = new MemoryPodStore();
  nodeStore = new MemoryNodeStore();
  process: NodeProcess | undefined;
  isReady = false;
  #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor({ tells = true }: { readonly tells?: boolean } = {}) {
    this.provider = new InstantProvider(this.clock, { tells });
  }

  /** Starts the process and lets everything happen that follows at once. */
  async start(wish: Partial<NodeProcessParts> = {}): Promise<void> {
    this.#stop = new AbortController();
    this.isReady = false;
    this.process = createNodeProcess({
      definition: {
        name: NODE,
        architecture: 'amd64',
        capacity: { cpu: '20', memory: '100Gi', pods: 20 },
        endpoint: { host: '192.0.2.7', port: 10_250 },
      },
      deployment: { name: 'svk', provider: 'instant', version: '0.1.0' },
      kubernetes: this.kubernetes,
      pods: this.watch,
      services: emptyListWatch([KUBERNETES_SERVICE]),
      provider: this.provider,
      podStore: this.podStore,
      nodeStore: this.nodeStore,
      clock: this.clock,
      random: new SeededRandom(1),
      logger: this.logger,
      metrics: NO_METRICS,
      workers: 10,
      resyncMs: 60_000,
      drainMs: 20_000,
      deleteNode: false,
      ...wish,
    });
    this.#running = runNode(this.process, this.#stop.signal, () => {
      this.isReady = true;
    });
    this.#running.catch(() => undefined);
    await this.settle();
  }

  /** Ends it as SIGTERM does. Rejects with what it ended with. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.settle();
    await this.#running;
  }

  /** What the process ended with by itself. */
  get ended(): Promise<void> {
    if (!this.#running) throw new Error('it was never started');
    return this.#running;
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn += 1) await this.clock.advance(0);
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.settle();
  }

  async addPod(wish: PodWish = {}): Promise<Pod> {
    const pod = this.kubernetes.addPod(aPod(wish));
    await this.settle();
    return pod;
  }

  async deletePod(name: string, graceSeconds?: number): Promise<void> {
    this.kubernetes.deletePod('default', name, graceSeconds);
    await this.settle();
  }

  phase(name = 'web'): string | undefined {
    return this.kubernetes.findPod('default', name)?.status?.phase;
  }

  /** `group.method` of every call since the last time it was asked, leases and node status left out. */
  takeCalls(): readonly string[] {
    const methods = this.kubernetes.calls.map(({ method }) => method);
    this.kubernetes.clearCalls();
    return methods.filter((method) => !method.startsWith('leases.') && !method.startsWith('nodes.'));
  }
}
