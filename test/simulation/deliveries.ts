import { withoutHealth } from '../../src/controllers/pod/health.ts';
import type { PodWork } from '../../src/controllers/pod/pod-worker.ts';
import type { Pod } from '../../src/model/kubernetes.ts';
import type { WakeReason } from '../../src/model/messages.ts';
import type { Workload } from '../../src/model/workload.ts';
import type { FakeWorkQueue } from '../fakes/queue/fake-work-queue.ts';
import { NODE } from '../support/pod-world.ts';
import type { Weather } from './weather.ts';

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
      for (const { message, delaySeconds = 0 } of messages) {
        const about = message.kind === 'wake' ? message.uid : message.kind;
        weather.after(delaySeconds * SECOND + weather.chance.amount(`delivery ${about}`, 0, 500), () =>
          this.#receive(),
        );
      }
    };
  }

  /** The webhook is told of what happens to a pod of our node. */
  admit(reason: WakeReason, { metadata, spec }: Pod): void {
    const { uid = '', name = '', namespace = '' } = metadata ?? {};
    if (spec?.nodeName !== NODE || this.#weather.down.has('us')) return;
    if (this.#befalls('admission lost', uid, this.#weather.profile.lostAdmissions)) return;
    const message = { v: 1, kind: 'wake', reason, uid, name, namespace, node: NODE } as const;
    void this.#queue.send([{ message, delaySeconds: 1 }], SIGNAL);
  }

  /** Of everything but its health. */
  notify(changed: Workload): void {
    const { chance, after, profile } = this.#weather;
    const workload = withoutHealth(changed);
    const { id } = workload;
    if (this.#befalls('event lost', id, profile.lostNotifications)) return;
    const copies = this.#befalls('event twice', id, profile.duplicates) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const isLate = this.#befalls('event late', id, profile.duplicates);
      after(chance.amount(`news ${id}`, 0, isLate ? 180 * SECOND : 2 * SECOND), () =>
        this.#work([{ kind: 'notification', notification: { kind: 'fake-workload', workload } }]),
      );
    }
  }

  #receive(): void {
    const messages = this.#queue.receive(10);
    const work = messages.flatMap((wake): PodWork[] => (wake.kind === 'wake' ? [{ kind: 'wake', wake }] : []));
    if (work.length > 0) this.#work(work);
    if (this.#befalls('message twice', 'queue', this.#weather.profile.duplicates)) this.#queue.duplicate();
  }

  #befalls(kind: string, about: string, probability: number): boolean {
    return this.#weather.chance.befalls(kind, about, probability);
  }
}
