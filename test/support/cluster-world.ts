import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { KubernetesCredentials } from '../../src/adapters/kubernetes/credentials.ts';
import { createKubernetes } from '../../src/adapters/kubernetes/kubernetes-api.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { SystemRandom } from '../../src/adapters/system/system-random.ts';
import { BeatScheduler } from '../../src/controllers/node/beat-scheduler.ts';
import { Heartbeat } from '../../src/controllers/node/heartbeat.ts';
import { LeaseController } from '../../src/controllers/node/lease-controller.ts';
import { NodeController } from '../../src/controllers/node/node-controller.ts';
import type { NodeDefinition } from '../../src/controllers/node/node-definition.ts';
import { ReachabilityMonitor } from '../../src/controllers/node/reachability-monitor.ts';
import { Adoption } from '../../src/controllers/pod/adoption.ts';
import { PodController } from '../../src/controllers/pod/pod-controller.ts';
import type { PodDependencies } from '../../src/controllers/pod/pod-dependencies.ts';
import { PodResync } from '../../src/controllers/pod/pod-resync.ts';
import { type PodWork, PodWorker } from '../../src/controllers/pod/pod-worker.ts';
import { TimerController } from '../../src/controllers/pod/timer-controller.ts';
import type { Pod } from '../../src/model/kubernetes.ts';
import type { PodWake, WakeReason } from '../../src/model/messages.ts';
import type { Kubernetes } from '../../src/ports/kubernetes.ts';
import type { LogFields, Logger } from '../../src/ports/logger.ts';
import { FakeProvider } from '../fakes/provider/fake-provider.ts';
import { FakeWorkQueue } from '../fakes/queue/fake-work-queue.ts';
import { FakeNodeStore } from '../fakes/stores/fake-node-store.ts';
import { FakePodStore } from '../fakes/stores/fake-pod-store.ts';

/**
 * The controllers of one deployment against a real API server, in real time; AWS is fakes. Messages are delivered and the
 * schedule calls as in the deployment, unless a test takes one of them away.
 */
export class ClusterWorld {
  readonly clock = new SystemClock();
  readonly client: KubernetesClient;
  readonly kubernetes: Kubernetes;
  readonly provider = new FakeProvider(this.clock);
  readonly podStore = new FakePodStore({ clock: this.clock });
  readonly nodeStore = new FakeNodeStore();
  readonly beatsQueue = new FakeWorkQueue(this.clock);
  readonly podQueue = new FakeWorkQueue(this.clock);
  readonly logs: string[] = [];
  readonly heartbeat: Heartbeat;
  readonly worker: PodWorker;
  readonly adoption: Adoption;
  readonly resync: PodResync;
  /** Triggers that do not work. */
  readonly broken = new Set<'schedule' | 'beats' | 'pods'>();
  readonly #node: string;
  readonly #ended = new AbortController();
  readonly #running: Promise<void>[] = [];

  /** `faults`: put before the API server. */
  constructor(
    credentials: KubernetesCredentials,
    definition: NodeDefinition,
    { deployment = 'dev', faults = (kubernetes) => kubernetes }: ClusterWorldOptions = {},
  ) {
    const { clock, provider, podStore, nodeStore } = this;
    this.#node = definition.name;
    this.client = new KubernetesClient(credentials, { clock });
    this.kubernetes = faults(createKubernetes(this.client));
    const logger = this.#logger();
    const kubernetes = this.kubernetes;
    const monitor = new ReachabilityMonitor({ provider, store: nodeStore, clock, logger });
    const owner = { name: deployment, provider: 'fargate', version: '0.1.0' };
    const controller = new NodeController({
      kubernetes,
      store: nodeStore,
      monitor,
      clock,
      logger,
      deployment: owner,
    });
    const timers = new TimerController({ provider, podStore, queue: this.podQueue, clock, logger });
    this.heartbeat = new Heartbeat({
      nodes: [definition],
      controller,
      leases: new LeaseController({
        leases: kubernetes.leases,
        nodes: controller,
        clock,
        logger,
        deployment: owner,
      }),
      beats: new BeatScheduler({
        store: nodeStore,
        beatsQueue: this.beatsQueue,
        podQueue: this.podQueue,
        clock,
        logger,
      }),
      onBeat: async (signal) => void (await timers.startDue(signal)),
      clock,
      logger,
    });
    const dependencies: PodDependencies = {
      kubernetes,
      provider,
      podStore,
      nodeStore,
      queue: this.podQueue,
      clock,
      random: new SystemRandom(),
      logger,
    };
    this.worker = new PodWorker(dependencies, new PodController(dependencies));
    this.adoption = new Adoption(dependencies);
    this.resync = new PodResync(dependencies);
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Sets the triggers going: both queues, and the schedule, whose first call is now and the others every minute. */
  start(): void {
    this.#running.push(this.#deliver('beats', this.beatsQueue), this.#deliver('pods', this.podQueue), this.#schedule());
  }

  async stop(): Promise<void> {
    this.#ended.abort(new Error('the test is over'));
    await Promise.allSettled(this.#running);
    this.client.close();
  }

  /** Hands wakes and notifications to the worker. @throws what failed. */
  async work(...items: readonly PodWork[]): Promise<void> {
    for (const result of await this.worker.work(items, this.signal)) if (!result.ok) throw result.error;
  }

  wakeFor({ metadata }: Pod, reason: WakeReason): PodWork {
    const { uid = '', name = '', namespace = '' } = metadata ?? {};
    const wake: PodWake = { v: 1, kind: 'wake', reason, uid, name, namespace, node: this.#node };
    return { kind: 'wake', wake };
  }

  /** Something happens to a workload, and the provider tells of it. */
  async happens(id: string, change: () => unknown): Promise<void> {
    change();
    await this.work({ kind: 'notification', notification: this.provider.notificationOf(id) });
  }

  async #schedule(): Promise<void> {
    while (!this.signal.aborted) {
      if (!this.broken.has('schedule')) this.#running.push(this.#minute());
      await delay(60_000, undefined, { signal: this.signal }).catch(() => undefined);
    }
  }

  async #minute(): Promise<void> {
    await Promise.allSettled([
      this.heartbeat.scheduled(this.signal),
      this.adoption.adopt(this.#node, this.signal).then(() => this.resync.run(this.#node, this.signal)),
    ]);
  }

  async #deliver(trigger: 'beats' | 'pods', queue: FakeWorkQueue): Promise<void> {
    while (!this.signal.aborted) {
      if (!this.broken.has(trigger)) {
        for (const message of queue.receive()) {
          const done =
            message.kind === 'beat'
              ? this.heartbeat.beat(message, this.signal)
              : this.worker.work([{ kind: 'wake', wake: message }], this.signal);
          // Each message is an invocation of its own.
          this.#running.push(done.then(() => undefined));
        }
      }
      await delay(100, undefined, { signal: this.signal }).catch(() => undefined);
    }
  }

  #logger(): Logger {
    const log =
      (level: string) =>
      (message: string, fields: LogFields = {}): void =>
        void this.logs.push(`${new Date(this.clock.now()).toISOString()} ${level} ${message} ${inspect(fields)}`);
    return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  }
}

export interface ClusterWorldOptions {
  readonly deployment?: string;
  readonly faults?: (kubernetes: Kubernetes) => Kubernetes;
}
