import type { PodWork } from '../../src/controllers/pod/pod-worker.ts';
import type { Pod } from '../../src/model/kubernetes.ts';
import type { WakeReason } from '../../src/model/messages.ts';
import type { Workload } from '../../src/model/workload.ts';
import type { FakeWorkQueue } from '../fakes/queue/fake-work-queue.ts';
import { NODE } from '../support/pod-world.ts';
import type { Weather } from './process.ts';

const SECOND = 1_000;
const SIGNAL = new AbortController().signal;

/** How news get to the worker: the webhook and the provider's notifications, some lost, late or twice. */
export class Deliveries {
  readonly #queue: FakeWorkQueue;
  readonly #weather: Weather;
  readonly #work: (items: readonly PodWork[]) => void;

  constructor(queue: FakeWorkQueue, weather: Weather, work: (items: readonly PodWork[]) => void) {
    this.#queue = queue;
    this.#weather = weather;
    this.#work = work;
    queue.before = (messages) => {
      for (const { delaySeconds = 0 } of messages) {
        weather.after(delaySeconds * SECOND + weather.random.next() * 500, () => this.#receive());
      }
    };
  }

  /** The webhook is told of what happens to a pod of our node. */
  admit(reason: WakeReason, { metadata, spec }: Pod): void {
    if (spec?.nodeName !== NODE || this.#chance(this.#weather.profile.lostAdmissions)) return;
    const { uid = '', name = '', namespace = '' } = metadata ?? {};
    const message = { v: 1, kind: 'wake', reason, uid, name, namespace, node: NODE } as const;
    void this.#queue.send([{ message, delaySeconds: 1 }], SIGNAL);
  }

  notify(workload: Workload): void {
    const { random, after, profile } = this.#weather;
    if (this.#chance(profile.lostNotifications)) return;
    const copies = this.#chance(profile.duplicates) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const delay = random.next() * (this.#chance(profile.duplicates) ? 180 : 2) * SECOND;
      after(delay, () => this.#work([{ kind: 'notification', notification: { kind: 'fake-workload', workload } }]));
    }
  }

  #receive(): void {
    const messages = this.#queue.receive(10);
    const work = messages.flatMap((wake): PodWork[] => (wake.kind === 'wake' ? [{ kind: 'wake', wake }] : []));
    if (work.length > 0) this.#work(work);
    if (this.#chance(this.#weather.profile.duplicates)) this.#queue.duplicate();
  }

  #chance(probability: number): boolean {
    return probability > 0 && this.#weather.random.next() < probability;
  }
}
