import { Adoption } from '../../src/controllers/pod/adoption.ts';
import { PodController } from '../../src/controllers/pod/pod-controller.ts';
import type { PodDependencies } from '../../src/controllers/pod/pod-dependencies.ts';
import { PodResync } from '../../src/controllers/pod/pod-resync.ts';
import { type PodWork, PodWorker } from '../../src/controllers/pod/pod-worker.ts';
import { TaskCollector } from '../../src/controllers/pod/task-collector.ts';
import { TimerController } from '../../src/controllers/pod/timer-controller.ts';
import type { Pod, PodStatus } from '../../src/model/kubernetes.ts';
import type { PodWake, WakeReason } from '../../src/model/messages.ts';
import type { PodState } from '../../src/model/pod-row.ts';
import type { Workload } from '../../src/model/workload.ts';
import { FakeClock, SeededRandom } from '../fakes/clock.ts';
import { FakeKubernetes } from '../fakes/kubernetes/fake-kubernetes.ts';
import { FakeProvider } from '../fakes/provider/fake-provider.ts';
import { FakeWorkQueue } from '../fakes/queue/fake-work-queue.ts';
import { FakeNodeStore } from '../fakes/stores/fake-node-store.ts';
import { FakePodStore } from '../fakes/stores/fake-pod-store.ts';
import { aPod, type PodWish } from './a-pod.ts';
import { RecordingLogger } from './recording-logger.ts';

export const NODE = 'fargate';
const SIGNAL = new AbortController().signal;

/**
 * The real pod controllers on fakes, wired as the deployment wires them: changes of pods and workloads become messages,
 * beats come every ten seconds, a resync every minute. Time passes only in `pass`.
 */
export class PodWorld {
  readonly clock = new FakeClock();
  readonly random = new SeededRandom(1);
  readonly logger = new RecordingLogger();
  readonly kubernetes = new FakeKubernetes({ clock: this.clock });
  readonly provider = new FakeProvider(this.clock);
  readonly podStore = new FakePodStore({ clock: this.clock });
  readonly nodeStore = new FakeNodeStore();
  readonly queue = new FakeWorkQueue(this.clock);
  readonly dependencies: PodDependencies = {
    kubernetes: this.kubernetes,
    provider: this.provider,
    podStore: this.podStore,
    nodeStore: this.nodeStore,
    queue: this.queue,
    clock: this.clock,
    random: this.random,
    logger: this.logger,
  };
  readonly controller = new PodController(this.dependencies);
  readonly worker = new PodWorker(this.dependencies, this.controller);
  readonly resync = new PodResync(this.dependencies);
  readonly timers = new TimerController(this.dependencies);
  readonly collector = new TaskCollector(this.dependencies);
  readonly adoption = new Adoption(this.dependencies);
  /** False: changes of workloads are told to nobody. */
  notifies = true;
  /** False: the webhook's messages get lost. */
  admits = true;
  readonly #notifications: Workload[] = [];
  #passed = 0;

  /** A world whose node is registered and adopted. */
  static async create(): Promise<PodWorld> {
    const world = new PodWorld();
    const { uid } = (await world.kubernetes.cluster.namespace('kube-system', SIGNAL)).metadata ?? {};
    await world.nodeStore.put(NODE, { adoptedAt: world.clock.now(), clusterId: uid });
    world.kubernetes.clearCalls();
    return world;
  }

  private constructor() {
    this.provider.onChange = (workload) => {
      if (this.notifies) this.#notifications.push(workload);
    };
    this.kubernetes.onPod((change, pod) => {
      if (!this.admits || pod.spec?.nodeName !== NODE) return;
      if (change === 'ADDED') this.wake(pod, 'bind');
      if (change === 'DELETED' || pod.metadata?.deletionTimestamp) this.wake(pod, 'delete');
    });
  }

  /** Adds a pod that is bound to the node, and lets everything happen that follows at once. */
  async addPod(wish: PodWish = {}): Promise<Pod> {
    const pod = this.kubernetes.addPod(aPod(wish));
    await this.settle();
    return pod;
  }

  /** Adds a pod whose first worker is cut off somewhere and never answers; its message is not delivered again. */
  async addPodAndDie(wish: PodWish = {}): Promise<void> {
    this.kubernetes.addPod(aPod(wish));
    await this.clock.advance(0);
    const work = this.queue
      .receive()
      .flatMap((wake): PodWork[] => (wake.kind === 'wake' ? [{ kind: 'wake', wake }] : []));
    void this.worker.work(work, SIGNAL);
    await this.clock.advance(0);
  }

  /** A bound pod that is nowhere yet. */
  aPod(wish: PodWish = {}): Pod {
    return aPod(wish);
  }

  /** One worker of its own for this pod. */
  async controllerAtWork(pod: Pod): Promise<void> {
    this.queue.receive();
    const { uid = '', name = '', namespace = '' } = pod.metadata ?? {};
    await this.podStore.wake({ v: 1, kind: 'wake', reason: 'bind', uid, name, namespace, node: NODE });
    await this.controller.reconcile(uid, SIGNAL);
  }

  wake(pod: Pod, reason: WakeReason): void {
    const { uid = '', name = '', namespace = '' } = pod.metadata ?? {};
    const message: PodWake = { v: 1, kind: 'wake', reason, uid, name, namespace, node: NODE };
    void this.queue.send([{ message }], SIGNAL);
  }

  /** Delivers messages until none is due. */
  async settle(): Promise<void> {
    for (let rounds = 0; rounds < 200; rounds += 1) {
      await Promise.resolve();
      const wakes = this.queue
        .receive()
        .flatMap((wake): PodWork[] => (wake.kind === 'wake' ? [{ kind: 'wake', wake }] : []));
      const notifications = this.#notifications.splice(0).map(
        (workload): PodWork => ({
          kind: 'notification',
          notification: { kind: 'fake-workload', workload },
        }),
      );
      if (wakes.length + notifications.length === 0) return;
      await this.deliver([...wakes, ...notifications]);
    }
    throw new Error('the world does not settle: every message makes another');
  }

  /** Hands a batch to the worker, moving time for what sleeps in it. */
  async deliver(work: readonly PodWork[]): Promise<void> {
    let done = false;
    const working = this.worker.work(work, SIGNAL).finally(() => {
      done = true;
    });
    for (let turns = 0; !done && turns < 10; turns += 1) await this.clock.advance(turns === 0 ? 0 : 100);
    for (const result of await working) if (!result.ok) throw result.error;
  }

  /** Lets time pass, in beats of ten seconds with a resync every minute. */
  async pass(ms: number): Promise<void> {
    await this.settle();
    for (let left = ms; left > 0; left -= 10_000) {
      await this.clock.advance(Math.min(left, 10_000));
      this.#passed += Math.min(left, 10_000);
      await this.timers.startDue(SIGNAL);
      if (this.#passed % 60_000 === 0) await this.resync.run(NODE, SIGNAL);
      await this.settle();
    }
  }

  /** The only workload that lives. */
  get workload(): Workload {
    const [workload, ...others] = this.provider.live();
    if (!workload || others.length > 0) throw new Error(`${others.length + (workload ? 1 : 0)} workloads live`);
    return workload;
  }

  /** Something happens to a workload, and everybody hears of it. */
  async happens(change: () => unknown): Promise<void> {
    change();
    await this.settle();
  }

  pod(name = 'web', namespace = 'default'): Pod {
    const pod = this.kubernetes.findPod(namespace, name);
    if (!pod) throw new Error(`there is no pod ${name}`);
    return pod;
  }

  status(name = 'web'): PodStatus {
    return this.pod(name).status ?? {};
  }

  state(uid: string | undefined): PodState {
    const row = this.podStore.rows().find(({ pod }) => pod.uid === uid);
    if (!row) throw new Error('there is no row');
    return row.state;
  }

  /** `type: status reason` of every condition. */
  conditions(name = 'web'): Record<string, string> {
    return Object.fromEntries(
      (this.status(name).conditions ?? []).map(({ type, status, reason }) => [
        type,
        reason ? `${status} ${reason}` : status,
      ]),
    );
  }

  /** `reason: message` of every event, in order. */
  events(): string[] {
    return this.kubernetes.events.list.map(({ reason, message }) => `${reason}: ${message}`);
  }
}
