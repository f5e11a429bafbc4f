import { Adoption } from '../../src/controllers/pod/adoption.ts';
import { PodResync } from '../../src/controllers/pod/pod-resync.ts';
import { TaskCollector } from '../../src/controllers/pod/task-collector.ts';
import { TimerController } from '../../src/controllers/pod/timer-controller.ts';
import { NotFoundError } from '../../src/core/errors.ts';
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
import { Deliveries } from './deliveries.ts';
import { Effects } from './effects.ts';
import { Fargate } from './fargate.ts';
import { Invariants, settledFault } from './invariants.ts';
import { Invocations } from './invocations.ts';
import type { Weather } from './process.ts';
import { CALM, profileOf } from './profile.ts';
import { Users } from './users.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const TROUBLE_MS = 10 * MINUTE;
const DEEDS = 10;
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
  readonly #kubernetes: FakeKubernetes;
  readonly #provider = new FakeProvider(this.#clock);
  readonly #podStore: FakePodStore;
  readonly #nodeStore = new FakeNodeStore();
  readonly #queue = new FakeWorkQueue(this.#clock);
  readonly #weather: Weather;
  readonly #invocations: Invocations;
  readonly #deliveries: Deliveries;
  readonly #users: Users;
  #userIsDeleting = false;
  #falseSince = 0;
  #isEnding = false;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
    this.#kubernetes = new FakeKubernetes({ clock: this.#clock, seed });
    this.#podStore = new FakePodStore({ clock: this.#clock, indexDelayMs: 500 });
    const effects = new Effects(this.#podStore, this.#kubernetes, this.#provider, this.#invariants);
    this.#weather = {
      profile: profileOf(seed, this.#random),
      random: this.#random,
      clock: this.#clock,
      log: (line) => this.#log(line),
      after: (ms, act) => this.#agenda.after(ms, act),
      sets: (call, args) => effects.check(call, args, this.#clock.now()),
    };
    const real = {
      kubernetes: this.#kubernetes,
      provider: this.#provider,
      podStore: this.#podStore,
      nodeStore: this.#nodeStore,
      queue: this.#queue,
      clock: this.#clock,
      random: this.#random,
      logger: new RecordingLogger(),
    };
    this.#invocations = new Invocations(real, this.#weather, this.#invariants);
    this.#deliveries = new Deliveries(this.#queue, this.#weather, (items) => this.#invocations.work(items));
    this.#users = new Users(this.#kubernetes, this.#random, (line) => this.#log(line));
    this.#follow();
  }

  async run(): Promise<SimulationResult> {
    this.#log(`profile ${JSON.stringify(this.#weather.profile)}`);
    const { uid } = (await this.#kubernetes.cluster.namespace('kube-system', SIGNAL)).metadata ?? {};
    await this.#nodeStore.put(NODE, { clusterId: uid });
    this.#runSchedules();
    for (let deeds = 0; deeds < DEEDS; deeds += 1) {
      this.#agenda.after(this.#random.next() * TROUBLE_MS, () => this.#byUser(() => this.#users.act()));
    }
    if (this.#weather.profile.tableLoss) this.#agenda.after(this.#random.next() * TROUBLE_MS, () => this.#loseTable());
    await this.#until(TROUBLE_MS);

    this.#weather.profile = CALM;
    this.#log('calm');
    // An unanswered launch may take an hour to settle; most worlds are at rest long before.
    await this.#untilNone(() => this.#faults(), { everyMs: 5 * MINUTE, mostMs: 120 * MINUTE });

    this.#isEnding = true;
    this.#byUser(() => this.#users.deleteAll());
    await this.#untilNone(() => this.#left(), { everyMs: 3 * MINUTE, mostMs: 15 * MINUTE });
    return { seed: this.#seed, violation: this.#invariants.violation, history: this.#history };
  }

  #runSchedules(): void {
    const start = this.#invocations.start.bind(this.#invocations);
    this.#agenda.every(10 * SECOND, () => start('beat', (it) => new TimerController(it).startDue(SIGNAL)));
    this.#agenda.every(MINUTE, () =>
      start('resync', async (it) => {
        await new Adoption(it).adopt(NODE, SIGNAL);
        await new PodResync(it).run(NODE, SIGNAL);
      }),
    );
    this.#agenda.every(5 * MINUTE, () => start('collector', (it) => new TaskCollector(it).run([NODE], SIGNAL)));
  }

  /** Watches everything that happens, and lets happen what follows from it. */
  #follow(): void {
    const fargate = new Fargate(this.#provider, this.#random, this.#weather.after, () => this.#weather.profile);
    this.#provider.onChange = (workload) => {
      const { id, version, phase, end } = workload;
      this.#log(`${id} v${version} ${phase}${end ? ` (${end.kind})` : ''}`);
      this.#invariants.workload(workload, this.#provider.live(workload.podUid), this.#clock.now());
      this.#expectReport(workload);
      fargate.changed(workload);
      this.#deliveries.notify(workload);
    };
    this.#provider.hook = (method, when) => {
      if (method === 'launch' && when === 'before' && this.#chance(this.#weather.profile.launchFaults)) this.#spoil();
    };
    this.#kubernetes.onPod((change, pod) => {
      const { name = '', uid, deletionTimestamp } = pod.metadata ?? {};
      const live = this.#provider.live(uid);
      this.#log(`pod ${name} ${uid?.slice(0, 4)} ${change} ${pod.status?.phase} ${pod.status?.reason ?? ''}`);
      if (change === 'DELETED') {
        this.#invariants.removed(pod, this.#userIsDeleting, live, this.#clock.now());
        this.#recreate(name);
      } else {
        this.#invariants.pod(pod, live);
        this.#force(pod);
      }
      if (change === 'ADDED') this.#deliveries.admit('bind', pod);
      else if (change === 'DELETED' || deletionTimestamp) this.#deliveries.admit('delete', pod);
    });
    this.#kubernetes.beforeEach(({ method }) => {
      // Now and then somebody between us and the server answers with nonsense; not twice in a row.
      if (method !== 'pods.get' || this.#clock.now() < this.#falseSince + MINUTE) return;
      if (!this.#chance(this.#weather.profile.falseAbsence)) return;
      this.#falseSince = this.#clock.now();
      throw new NotFoundError('simulated');
    });
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

  #spoil(): void {
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

  #loseTable(): void {
    this.#log('the table is lost');
    this.#podStore.clear();
    void this.#nodeStore.put(NODE, { adoptedAt: undefined });
  }

  #byUser(act: () => void): void {
    this.#userIsDeleting = true;
    act();
    this.#userIsDeleting = false;
  }

  async #until(ms: number): Promise<void> {
    await this.#agenda.run(ms, () => this.#invariants.violation !== undefined);
  }

  async #untilNone(
    faults: () => readonly string[],
    { everyMs, mostMs }: { readonly everyMs: number; readonly mostMs: number },
  ): Promise<void> {
    for (let waited = 0; waited < mostMs && (waited === 0 || faults().length > 0); waited += everyMs) {
      await this.#until(everyMs);
    }
    for (const fault of faults()) this.#invariants.broken(fault);
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

  /** What is left once everybody has gone. */
  #left(): readonly string[] {
    return [
      ...this.#kubernetes.allPods().map(({ metadata }) => `pod left: ${metadata?.name}`),
      ...this.#provider.live().map(({ id }) => `workload left: ${id}`),
      ...this.#podStore.rows().map((row) => `row left: ${JSON.stringify(row)}`),
      ...(this.#queue.length > 0 ? [`messages left: ${this.#queue.length}`] : []),
    ];
  }

  #chance(probability: number): boolean {
    return probability > 0 && this.#random.next() < probability;
  }

  #log(line: string): void {
    this.#history.push(`${new Date(this.#clock.now()).toISOString().slice(11, 23)} ${line}`);
  }
}
