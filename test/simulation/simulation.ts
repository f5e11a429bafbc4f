import { Adoption } from '../../src/controllers/pod/adoption.ts';
import type { PodDependencies } from '../../src/controllers/pod/pod-dependencies.ts';
import { PodResync } from '../../src/controllers/pod/pod-resync.ts';
import { TaskCollector } from '../../src/controllers/pod/task-collector.ts';
import { TimerController } from '../../src/controllers/pod/timer-controller.ts';
import { NotFoundError } from '../../src/core/errors.ts';
import type { Workload } from '../../src/model/workload.ts';
import { FakeClock } from '../fakes/clock.ts';
import { FakeKubernetes } from '../fakes/kubernetes/fake-kubernetes.ts';
import type { LaunchFault } from '../fakes/provider/fake-faults.ts';
import { ECS_LIMITS } from '../fakes/provider/fake-limits.ts';
import { FakeProvider } from '../fakes/provider/fake-provider.ts';
import { FakeWorkQueue } from '../fakes/queue/fake-work-queue.ts';
import { FakeNodeStore } from '../fakes/stores/fake-node-store.ts';
import { FakePodStore } from '../fakes/stores/fake-pod-store.ts';
import { NODE } from '../support/pod-world.ts';
import { RecordingLogger } from '../support/recording-logger.ts';
import { Agenda } from './agenda.ts';
import { podOfCall } from './calls.ts';
import { Chance, type Mishap } from './chance.ts';
import { Deliveries } from './deliveries.ts';
import { Effects } from './effects.ts';
import { Fargate } from './fargate.ts';
import { Invariants, type Violation } from './invariants.ts';
import { Invocations } from './invocations.ts';
import { CALM, type Profile, profileOf } from './profile.ts';
import { Quiet } from './quiet.ts';
import { remains, type Scene, unrest } from './rest.ts';
import { Troubles } from './troubles.ts';
import { Users } from './users.ts';
import type { SetOut, Weather } from './weather.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const TROUBLE_MS = 10 * MINUTE;
const QUIET_MS = 12 * MINUTE;
const DEEDS = 7;
const SIGNAL = new AbortController().signal;
/** What others leave us of the account's rate limits. */
const BUSY = {
  launch: { burst: 1, perSecond: 0.1 },
  modify: { burst: 2, perSecond: 0.2 },
  read: { burst: 2, perSecond: 0.2 },
};

export interface SimulationOptions {
  /** No other mishaps happen. */
  readonly only?: ReadonlySet<string>;
  /** How rough the world is, where the seed is not to decide. */
  readonly profile?: Profile;
  readonly sabotage?: Weather['sabotage'];
}

export interface SimulationResult {
  readonly seed: number;
  /** The first broken promise; undefined where all were kept. */
  readonly violation: Violation | undefined;
  readonly history: readonly string[];
  readonly profile: Profile;
  /** What befell the world, by name. */
  readonly mishaps: readonly Mishap[];
}

/** One seeded world: trouble for a while, then calm, then the end. Equal seeds give equal histories. */
export const simulate = async (seed: number, options: SimulationOptions = {}): Promise<SimulationResult> =>
  new Simulation(seed, options).run();

class Simulation {
  readonly #seed: number;
  readonly #chance: Chance;
  readonly #clock = new FakeClock();
  readonly #agenda = new Agenda(this.#clock);
  readonly #history: string[] = [];
  readonly #invariants = new Invariants();
  readonly #quiet = new Quiet();
  readonly #kubernetes = new FakeKubernetes({ clock: this.#clock });
  readonly #provider = new FakeProvider(this.#clock);
  readonly #podStore = new FakePodStore({ clock: this.#clock, indexDelayMs: 500 });
  readonly #nodeStore = new FakeNodeStore();
  readonly #queue = new FakeWorkQueue(this.#clock);
  readonly #scene: Scene;
  readonly #weather: Weather;
  readonly #invocations: Invocations;
  readonly #deliveries: Deliveries;
  readonly #users: Users;
  readonly #fargate: Fargate;
  readonly #troubles: Troubles;
  #cluster: FakeKubernetes;
  #falseSince = 0;

  constructor(seed: number, { only, profile, sabotage }: SimulationOptions) {
    this.#seed = seed;
    this.#chance = new Chance(seed, only);
    this.#cluster = this.#kubernetes;
    const scene = {
      kubernetes: this.#kubernetes,
      provider: this.#provider,
      podStore: this.#podStore,
      queue: this.#queue,
      invariants: this.#invariants,
    };
    this.#scene = scene;
    const effects = new Effects(this.#podStore, this.#kubernetes, this.#provider, this.#invariants);
    this.#weather = {
      profile: profile ?? profileOf(seed, this.#chance),
      down: new Set(),
      chance: this.#chance,
      clock: this.#clock,
      log: (line) => this.#log(line),
      after: (ms, act) => this.#agenda.after(ms, act),
      sets: (setOut) => this.#setOut(setOut, effects),
      sabotage,
    };
    const dependencies = {
      ...scene,
      nodeStore: this.#nodeStore,
      clock: this.#clock,
      random: this.#chance.stream('ours'),
      logger: new RecordingLogger(),
    };
    const real = (): PodDependencies => ({ ...dependencies, kubernetes: this.#cluster });
    this.#invocations = new Invocations(real, this.#weather, (message) => this.#invariants.broken(message));
    this.#deliveries = new Deliveries(this.#queue, this.#weather, (items) => this.#invocations.work(items));
    this.#users = new Users(this.#kubernetes, this.#weather);
    this.#fargate = new Fargate(this.#provider, this.#weather);
    this.#troubles = new Troubles(
      this.#weather,
      {
        loseTable: () => this.#loseTable(),
        swapCluster: (isSwapped) => {
          this.#cluster = isSwapped ? new FakeKubernetes({ clock: this.#clock, seed: 2 }) : this.#kubernetes;
        },
      },
      TROUBLE_MS,
    );
    this.#follow();
  }

  async run(): Promise<SimulationResult> {
    const { profile } = this.#weather;
    await this.#live(profile);
    const { violation } = this.#invariants;
    return { seed: this.#seed, violation, history: this.#history, profile, mishaps: this.#chance.mishaps };
  }

  async #live(profile: Profile): Promise<void> {
    this.#log(`profile ${JSON.stringify(profile)}`);
    const { uid } = (await this.#kubernetes.cluster.namespace('kube-system', SIGNAL)).metadata ?? {};
    await this.#nodeStore.put(NODE, { clusterId: uid });
    if (profile.busyAccount && this.#chance.happens('account busy', 'world')) this.#provider.limit(BUSY);
    this.#runSchedules();
    for (let deed = 1; deed <= DEEDS; deed += 1) {
      this.#agenda.after(this.#chance.amount(`time of ${deed}`, 0, TROUBLE_MS), () => this.#users.act(String(deed)));
    }
    await this.#until(Math.max(TROUBLE_MS, this.#troubles.begin()));

    this.#weather.profile = CALM;
    this.#provider.limit(ECS_LIMITS);
    this.#log('calm');
    // An unanswered launch may take an hour to settle; most worlds are at rest long before.
    await this.#untilNone(() => unrest(this.#scene), { everyMs: 5 * MINUTE, mostMs: 120 * MINUTE });
    if (this.#chance.draw('rests') < 0.5) await this.#rest();

    this.#users.deleteAll();
    await this.#untilNone(() => remains(this.#scene), { everyMs: 3 * MINUTE, mostMs: 15 * MINUTE });
  }

  /** Once nothing happens any more nobody does anything either. */
  async #rest(): Promise<void> {
    this.#fargate.isStill = true;
    for (let minutes = 0; minutes === 0 || !this.#quiet.isIdle || this.#invocations.isBusy; minutes += 6) {
      if (minutes > 60) return this.#invariants.broken('nothing happens, and there is no rest within an hour');
      this.#quiet.begin();
      await this.#until(6 * MINUTE);
    }
    this.#quiet.begin();
    await this.#until(QUIET_MS);
    for (const fault of this.#quiet.faults(this.#kubernetes.allPods(), QUIET_MS)) this.#invariants.broken(fault);
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
    this.#provider.onChange = (workload) => {
      const { id, version, phase, end } = workload;
      this.#log(`${id} v${version} ${phase}${end ? ` (${end.kind})` : ''}`);
      this.#quiet.stir(`${id} ${phase}`);
      this.#invariants.workload(workload, this.#provider.live(workload.podUid), this.#clock.now());
      this.#expectReport(workload);
      this.#fargate.changed(workload);
      this.#deliveries.notify(workload);
    };
    this.#kubernetes.onPod((change, pod) => {
      const { uid, deletionTimestamp } = pod.metadata ?? {};
      const live = this.#provider.live(uid);
      this.#log(`pod ${uid} ${change} ${pod.status?.phase} ${pod.status?.reason ?? ''}`);
      this.#quiet.stir(`${uid} ${change}`);
      if (change === 'DELETED') {
        this.#invariants.removed(pod, this.#users.areActing, live, this.#clock.now());
      } else {
        this.#invariants.pod(pod, live);
      }
      this.#users.changed(change, pod);
      if (change === 'ADDED') this.#deliveries.admit('bind', pod);
      else if (change === 'DELETED' || deletionTimestamp) this.#deliveries.admit('delete', pod);
    });
    this.#kubernetes.beforeEach(({ method, args }) => {
      // Now and then somebody between us and the server answers with nonsense; not twice in a row.
      if (method !== 'pods.get' || this.#clock.now() < this.#falseSince + MINUTE) return;
      if (!this.#chance.befalls('false absence', String(args[1]), this.#weather.profile.falseAbsence)) return;
      this.#falseSince = this.#clock.now();
      throw new NotFoundError('simulated');
    });
  }

  #setOut(setOut: SetOut, effects: Effects): void {
    effects.check(setOut, this.#clock.now());
    this.#quiet.sets(setOut);
    if (setOut.call !== 'provider.launch') return;
    this.#troubles.launching();
    const launch = podOfCall(setOut.call, setOut.args);
    if (this.#chance.befalls('launch fault', launch, this.#weather.profile.launchFaults)) this.#spoil(launch);
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

  #spoil(launch: string): void {
    const fault = this.#chance.pick<LaunchFault>(`fault of ${launch}`, [
      { kind: 'lost-request' },
      { kind: 'lost-answer' },
      { kind: 'refused', cause: 'capacity', final: true, message: 'simulated' },
      { kind: 'refused', cause: 'throttled', final: false, message: 'simulated' },
    ]);
    this.#log(`launch meets ${fault.kind}${fault.kind === 'refused' ? ` ${fault.cause}` : ''}`);
    this.#provider.faults.nextLaunch(fault);
  }

  #loseTable(): void {
    this.#log('the table is lost');
    this.#podStore.clear();
    void this.#nodeStore.put(NODE, { adoptedAt: undefined });
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

  /** What comes after a broken promise is of no interest. */
  #log(line: string): void {
    if (this.#invariants.violation) return;
    this.#history.push(`${new Date(this.#clock.now()).toISOString().slice(11, 23)} ${line}`);
  }
}
