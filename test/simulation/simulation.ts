import { Adoption } from '../../src/controllers/pod/adoption.ts';
import { PodController } from '../../src/controllers/pod/pod-controller.ts';
import type { PodDependencies } from '../../src/controllers/pod/pod-dependencies.ts';
import { PodResync } from '../../src/controllers/pod/pod-resync.ts';
import { type PodWork, PodWorker } from '../../src/controllers/pod/pod-worker.ts';
import { TaskCollector } from '../../src/controllers/pod/task-collector.ts';
import { TimerController } from '../../src/controllers/pod/timer-controller.ts';
import { SvkError } from '../../src/core/errors.ts';
import type { Pod } from '../../src/model/kubernetes.ts';
import type { Workload } from '../../src/model/workload.ts';
import { FakeClock, SeededRandom } from '../fakes/clock.ts';
import { FakeKubernetes } from '../fakes/kubernetes/fake-kubernetes.ts';
import type { LaunchFault } from '../fakes/provider/fake-faults.ts';
import { FakeProvider } from '../fakes/provider/fake-provider.ts';
import { FakeWorkQueue } from '../fakes/queue/fake-work-queue.ts';
import { FakeNodeStore } from '../fakes/stores/fake-node-store.ts';
import { FakePodStore } from '../fakes/stores/fake-pod-store.ts';
import { NODE } from '../support/pod-world.ts';
import { RecordingLogger } from '../support/recording-logger.ts';
import { Agenda } from './agenda.ts';
import { Fargate } from './fargate.ts';
import { Invariants, settledFault } from './invariants.ts';
import { Process, type Weather } from './process.ts';
import { CALM, profileOf } from './profile.ts';
import { Users } from './users.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** A worker that takes longer is killed, as Lambda does; its messages come back later. */
const WORKER_LIFE_MS = 50 * SECOND;
const VISIBILITY_MS = 90 * SECOND;
const SIGNAL = new AbortController().signal;

export interface SimulationResult {
  readonly seed: number;
  /** The first broken promise; undefined where all were kept. */
  readonly violation: Error | undefined;
  readonly history: readonly string[];
}

/** One seeded world: trouble for a while, then calm, then the end. Equal seeds give equal histories. */
export const simulate = async (seed: number): Promise<SimulationResult> => new Simulation(seed).run();

class Simulation {
  readonly #seed: number;
  readonly #random: SeededRandom;
  readonly #clock = new FakeClock();
  readonly #agenda = new Agenda(this.#clock);
  readonly #history: string[] = [];
  readonly #invariants = new Invariants();
  readonly #logger = new RecordingLogger();
  readonly #kubernetes: FakeKubernetes;
  readonly #provider = new FakeProvider(this.#clock);
  readonly #podStore: FakePodStore;
  readonly #nodeStore = new FakeNodeStore();
  readonly #queue = new FakeWorkQueue(this.#clock);
  readonly #weather: Weather;
  readonly #users: Users;
  #processes = 0;
  #userIsDeleting = false;
  #isEnding = false;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
    this.#weather = {
      profile: profileOf(seed, this.#random),
      random: this.#random,
      clock: this.#clock,
      log: (line) => this.#log(line),
      after: (ms, act) => this.#agenda.after(ms, act),
    };
    this.#kubernetes = new FakeKubernetes({ clock: this.#clock, seed });
    this.#podStore = new FakePodStore({ clock: this.#clock, indexDelayMs: 500 });
    this.#users = new Users(this.#kubernetes, this.#random, (line) => this.#log(line));
    const fargate = new Fargate(
      this.#provider,
      this.#random,
      (ms, act) => this.#agenda.after(ms, act),
      () => this.#weather.profile,
    );
    this.#provider.onChange = (workload) => {
      this.#log(
        `${workload.id} v${workload.version} ${workload.phase}${workload.end ? ` (${workload.end.kind})` : ''}`,
      );
      this.#invariants.workload(workload, this.#provider.live(workload.podUid), this.#clock.now());
      this.#expectReport(workload);
      fargate.changed(workload);
      this.#notify(workload);
    };
    this.#provider.hook = (method, when) => {
      if (method === 'launch' && when === 'before' && this.#chance(this.#weather.profile.launchFaults))
        this.#spoilLaunch();
    };
    this.#queue.before = (messages) => {
      for (const { delaySeconds = 0 } of messages) {
        this.#agenda.after(delaySeconds * SECOND + this.#random.next() * 500, () => this.#receive());
      }
    };
    this.#kubernetes.onPod((change, pod) => {
      const { name, uid } = pod.metadata ?? {};
      this.#log(`pod ${name} ${uid?.slice(0, 4)} ${change} ${pod.status?.phase} ${pod.status?.reason ?? ''}`);
      if (change === 'DELETED')
        this.#invariants.removed(pod, this.#userIsDeleting, this.#provider.live(uid), this.#clock.now());
      else this.#invariants.pod(pod, this.#provider.live(uid));
      if (change === 'DELETED') this.#recreate(name ?? '');
      else this.#force(pod);
      this.#admit(
        change === 'ADDED' ? 'bind' : change === 'DELETED' || pod.metadata?.deletionTimestamp ? 'delete' : undefined,
        pod,
      );
    });
  }

  async run(): Promise<SimulationResult> {
    this.#log(`profile ${JSON.stringify(this.#weather.profile)}`);
    const { uid } = (await this.#kubernetes.cluster.namespace('kube-system', SIGNAL)).metadata ?? {};
    await this.#nodeStore.put(NODE, { clusterId: uid });
    this.#agenda.every(10 * SECOND, () => this.#spawn('beat', (it) => new TimerController(it).startDue(SIGNAL)));
    this.#agenda.every(MINUTE, () => this.#spawn('resync', (it) => this.#resync(it)));
    this.#agenda.every(5 * MINUTE, () => this.#spawn('collector', (it) => new TaskCollector(it).run([NODE], SIGNAL)));
    const troubleMs = 15 * MINUTE;
    for (let deeds = 0; deeds < 12; deeds += 1) {
      this.#agenda.after(this.#random.next() * troubleMs, () => this.#byUser(() => this.#users.act()));
    }
    if (this.#weather.profile.tableLoss) this.#agenda.after(this.#random.next() * troubleMs, () => this.#loseTable());

    await this.#until(troubleMs);
    this.#weather.profile = CALM;
    this.#log('calm');
    // An unanswered launch may take an hour to settle; most worlds are at rest long before.
    for (let waited = 0; waited < 120 && (waited === 0 || this.#faults().length > 0); waited += 10) {
      await this.#until(10 * MINUTE);
    }
    for (const fault of this.#faults()) this.#invariants.broken(fault);
    this.#isEnding = true;
    this.#byUser(() => this.#users.deleteAll());
    await this.#until(10 * MINUTE);
    this.#checkEmpty();
    return { seed: this.#seed, violation: this.#invariants.violation, history: this.#history };
  }

  async #until(ms: number): Promise<void> {
    await this.#agenda.run(ms, () => this.#invariants.violation !== undefined);
  }

  #byUser(act: () => void): void {
    this.#userIsDeleting = true;
    act();
    this.#userIsDeleting = false;
  }

  async #resync(dependencies: PodDependencies): Promise<void> {
    await new Adoption(dependencies).adopt(NODE, SIGNAL);
    await new PodResync(dependencies).run(NODE, SIGNAL);
  }

  /** Where nothing gets lost, news must show in the status soon, not only once a timer finds out. */
  #expectReport({ id, podUid, version, phase }: Workload): void {
    const { latencyMs, ...trouble } = this.#weather.profile;
    if (phase !== 'running' || latencyMs === 0 || Object.values(trouble).some(Boolean)) return;
    this.#agenda.after(20 * SECOND, () => {
      const pod = this.#kubernetes.allPods().find(({ metadata }) => metadata?.uid === podUid);
      if (!pod || pod.metadata?.deletionTimestamp || this.#provider.get(id).version !== version) return;
      if (pod.status?.phase !== 'Running')
        this.#invariants.broken(`${id} has been running for 20 s and its pod is ${pod.status?.phase}`);
    });
  }

  /** An impatient user: the pod is about to go anyway, and is deleted by force at the very moment we let it go. */
  #force({ metadata, status }: Pod): void {
    const isGoing = metadata?.deletionTimestamp !== undefined && ['Succeeded', 'Failed'].includes(status?.phase ?? '');
    if (!isGoing || this.#isEnding || !this.#chance(0.3)) return;
    const { name = '', uid } = metadata;
    this.#agenda.after(this.#random.next() * this.#weather.profile.latencyMs, () => {
      if (this.#kubernetes.findPod('default', name)?.metadata?.uid !== uid) return;
      this.#byUser(() => {
        this.#kubernetes.deletePod('default', name, 0);
        if (!this.#kubernetes.findPod('default', name)) this.#users.create(name);
      });
    });
  }

  /** Controllers make a new pod of the same name at once. */
  #recreate(name: string): void {
    if (this.#isEnding || !this.#chance(0.5)) return;
    this.#agenda.after(this.#random.next() * 2 * SECOND, () => {
      if (!this.#isEnding && !this.#kubernetes.findPod('default', name)) this.#byUser(() => this.#users.create(name));
    });
  }

  #loseTable(): void {
    this.#log('the table is lost');
    this.#podStore.clear();
    void this.#nodeStore.put(NODE, { adoptedAt: undefined });
  }

  #admit(
    reason: 'bind' | 'delete' | undefined,
    {
      metadata,
      spec,
    }: { metadata?: { uid?: string; name?: string; namespace?: string }; spec?: { nodeName?: string } },
  ): void {
    if (reason === undefined || spec?.nodeName !== NODE || this.#chance(this.#weather.profile.lostAdmissions)) return;
    const { uid = '', name = '', namespace = '' } = metadata ?? {};
    void this.#queue.send(
      [{ message: { v: 1, kind: 'wake', reason, uid, name, namespace, node: NODE }, delaySeconds: 1 }],
      SIGNAL,
    );
  }

  #notify(workload: Workload): void {
    const { lostNotifications, duplicates } = this.#weather.profile;
    if (this.#chance(lostNotifications)) return;
    const copies = this.#chance(duplicates) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const delay = this.#chance(duplicates) ? this.#random.next() * 3 * MINUTE : this.#random.next() * 2 * SECOND;
      this.#agenda.after(delay, () =>
        this.#work([{ kind: 'notification', notification: { kind: 'fake-workload', workload } }]),
      );
    }
  }

  #spoilLaunch(): void {
    const faults: readonly LaunchFault[] = [
      { kind: 'lost-request' },
      { kind: 'lost-answer' },
      { kind: 'refused', cause: 'capacity', final: true, message: 'simulated' },
      { kind: 'refused', cause: 'throttled', final: false, message: 'simulated' },
    ];
    const fault = faults[Math.floor(this.#random.next() * faults.length)];
    if (!fault) return;
    this.#log(`launch meets ${fault.kind}${fault.kind === 'refused' ? ` ${fault.cause}` : ''}`);
    this.#provider.faults.nextLaunch(fault);
  }

  #receive(): void {
    const messages = this.#queue.receive(10);
    const work = messages.flatMap((wake): PodWork[] => (wake.kind === 'wake' ? [{ kind: 'wake', wake }] : []));
    if (work.length > 0) this.#work(work);
    if (this.#chance(this.#weather.profile.duplicates)) this.#queue.duplicate();
  }

  /** One worker invocation. What it does not finish comes back, as from SQS. */
  #work(items: readonly PodWork[]): void {
    let open: readonly PodWork[] = items;
    this.#spawn('worker', async (it) => {
      const results = await new PodWorker(it, new PodController(it)).work(items, SIGNAL);
      open = items.filter((_, index) => results[index]?.ok !== true);
      for (const result of results) {
        if (!result.ok && !(result.error instanceof SvkError)) throw result.error;
      }
    });
    this.#agenda.after(VISIBILITY_MS, () => {
      if (open.length > 0) this.#work(open);
    });
  }

  #spawn(kind: string, run: (dependencies: PodDependencies) => Promise<unknown>): void {
    this.#processes += 1;
    const process = new Process(`${kind}#${this.#processes}`, this.#weather);
    const dependencies = process.dependencies({
      kubernetes: this.#kubernetes,
      provider: this.#provider,
      podStore: this.#podStore,
      nodeStore: this.#nodeStore,
      queue: this.#queue,
      clock: this.#clock,
      random: this.#random,
      logger: this.#logger,
    });
    run(dependencies).then(
      () => process.finish(),
      (error: unknown) => {
        process.finish();
        if (error instanceof SvkError) return;
        this.#invariants.broken(`${process.name}: ${error instanceof Error ? error.stack : String(error)}`);
      },
    );
    // A frozen process may come back to life after its time: it is not killed, and must not do any harm then.
    if (!this.#chance(this.#weather.profile.stalls * 20)) this.#agenda.after(WORKER_LIFE_MS, () => process.kill());
  }

  /** What is not at rest yet. */
  #faults(): readonly string[] {
    const pods = this.#kubernetes.allPods();
    const uids = new Set(pods.map(({ metadata }) => metadata?.uid));
    return [
      ...pods.flatMap((pod) => {
        const fault = settledFault(pod, this.#provider.workloads(pod.metadata?.uid));
        return fault === undefined ? [] : `${pod.metadata?.name}: ${fault}`;
      }),
      ...this.#provider
        .live()
        .filter(({ podUid }) => !uids.has(podUid))
        .map(({ id }) => `${id} lives without its pod`),
    ];
  }

  #checkEmpty(): void {
    const left = this.#kubernetes.allPods().map(({ metadata }) => metadata?.name);
    if (left.length > 0) this.#invariants.broken(`pods left: ${left.join(', ')}`);
    const live = this.#provider.live().map(({ id }) => id);
    if (live.length > 0) this.#invariants.broken(`workloads left: ${live.join(', ')}`);
    const rows = this.#podStore.rows();
    if (rows.length > 0) this.#invariants.broken(`rows left: ${JSON.stringify(rows)}`);
    if (this.#queue.length > 0) this.#invariants.broken(`messages left: ${this.#queue.length}`);
  }

  #chance(probability: number): boolean {
    return probability > 0 && this.#random.next() < probability;
  }

  #log(line: string): void {
    this.#history.push(`${new Date(this.#clock.now()).toISOString().slice(11, 23)} ${line}`);
  }
}
