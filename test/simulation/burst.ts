import { PodController } from '../../src/controllers/pod/pod-controller.ts';
import { PodResync } from '../../src/controllers/pod/pod-resync.ts';
import { type PodWork, PodWorker } from '../../src/controllers/pod/pod-worker.ts';
import { TaskCollector } from '../../src/controllers/pod/task-collector.ts';
import { TimerController } from '../../src/controllers/pod/timer-controller.ts';
import { FakeClock, SeededRandom } from '../fakes/clock.ts';
import { FakeKubernetes } from '../fakes/kubernetes/fake-kubernetes.ts';
import type { ProviderLimits } from '../fakes/provider/fake-limits.ts';
import { FakeProvider } from '../fakes/provider/fake-provider.ts';
import { FakeWorkQueue } from '../fakes/queue/fake-work-queue.ts';
import { FakeNodeStore } from '../fakes/stores/fake-node-store.ts';
import { FakePodStore } from '../fakes/stores/fake-pod-store.ts';
import { aPod } from '../support/a-pod.ts';
import { NODE } from '../support/pod-world.ts';
import { Agenda } from './agenda.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Ten workers at once, each with a batch of ten messages for half a second. */
const WORKERS = 10;
const BATCH = 10;
const BATCH_MS = 500;
const STARTS_WITHIN_MS = 30 * SECOND;
const SIGNAL = new AbortController().signal;
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export interface BurstResult {
  /** When each launch was accepted, in milliseconds after the pods were made; in order. */
  readonly launchedAtMs: readonly number[];
  /** The pods in the order in which they were launched. */
  readonly order: readonly string[];
  /** How often a launch was asked for. */
  readonly launches: number;
  /** How many pods were in each phase at the end. */
  readonly phases: Readonly<Record<string, number>>;
}

/** So many pods are bound at one moment; everything else is as deployed. Runs for `ms` of virtual time. */
export const burst = async (options: {
  readonly pods: number;
  readonly ms: number;
  readonly limits: ProviderLimits;
}): Promise<BurstResult> => {
  const clock = new FakeClock();
  const agenda = new Agenda(clock);
  const kubernetes = new FakeKubernetes({ clock });
  const provider = new FakeProvider(clock);
  const podStore = new FakePodStore({ clock, indexDelayMs: 500 });
  const nodeStore = new FakeNodeStore();
  const queue = new FakeWorkQueue(clock);
  const random = new SeededRandom(1);
  const it = { kubernetes, provider, podStore, nodeStore, queue, clock, random, logger: SILENT };
  const worker = new PodWorker(it, new PodController(it));
  const begin = clock.now();
  const launched: { readonly pod: string; readonly at: number }[] = [];
  const news: PodWork[] = [];

  provider.limit(options.limits);
  provider.onChange = (workload) => {
    const { id, version, podUid = '' } = workload;
    news.push({ kind: 'notification', notification: { kind: 'fake-workload', workload } });
    if (version !== 1) return;
    launched.push({ pod: podUid, at: clock.now() - begin });
    agenda.after(random.next() * STARTS_WITHIN_MS, () => provider.run(id));
  };
  const { uid: clusterId } = (await kubernetes.cluster.namespace('kube-system', SIGNAL)).metadata ?? {};
  await nodeStore.put(NODE, { adoptedAt: begin, clusterId });

  const work = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(BATCH_MS);
      const wakes = queue
        .receive(BATCH)
        .flatMap((wake): PodWork[] => (wake.kind === 'wake' ? [{ kind: 'wake', wake }] : []));
      await worker.work([...wakes, ...news.splice(0, BATCH - wakes.length)], SIGNAL);
    }
  };
  for (let index = 0; index < WORKERS; index += 1) agenda.after((index * BATCH_MS) / WORKERS, () => void work());
  agenda.every(10 * SECOND, () => void new TimerController(it).startDue(SIGNAL));
  agenda.every(MINUTE, () => void new PodResync(it).run(NODE, SIGNAL));
  agenda.every(5 * MINUTE, () => void new TaskCollector(it).run([NODE], SIGNAL));

  for (let index = 0; index < options.pods; index += 1) {
    const { metadata } = kubernetes.addPod(aPod({ name: `web-${index}`, uid: `web-${index}` }));
    const { uid = '', name = '', namespace = '' } = metadata ?? {};
    const message = { v: 1, kind: 'wake', reason: 'bind', uid, name, namespace, node: NODE } as const;
    await queue.send([{ message }], SIGNAL);
  }
  await agenda.run(options.ms, () => false);

  const phases: Record<string, number> = {};
  for (const { status } of kubernetes.allPods()) phases[status?.phase ?? ''] = (phases[status?.phase ?? ''] ?? 0) + 1;
  return {
    launchedAtMs: launched.map(({ at }) => at),
    order: launched.map(({ pod }) => pod),
    launches: provider.calls.filter((call) => call === 'launch').length,
    phases,
  };
};
