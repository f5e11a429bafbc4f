import type { Random } from '../../src/core/clock.ts';
import type { FakeKubernetes } from '../fakes/kubernetes/fake-kubernetes.ts';
import { aPod } from '../support/a-pod.ts';

const POLICIES = ['Always', 'OnFailure', 'Never'] as const;
const NAMES = ['db-0', 'web', 'job'];

/** What people and controllers do with pods: few names, so that they are used again. */
export class Users {
  readonly #kubernetes: FakeKubernetes;
  readonly #random: Random;
  readonly #log: (line: string) => void;

  constructor(kubernetes: FakeKubernetes, random: Random, log: (line: string) => void) {
    this.#kubernetes = kubernetes;
    this.#random = random;
    this.#log = log;
  }

  /** One deed. */
  act(): void {
    const name = this.#pick(NAMES);
    const pod = this.#kubernetes.findPod('default', name);
    if (!pod) return this.create(name);
    const luck = this.#random.next();
    if (luck < 0.5) return this.#delete(name, this.#pick([undefined, undefined, 0, 5]));
    if (luck < 0.6) return this.#dropFinalizers(name);
    if (luck < 0.8) this.#label(name);
  }

  create(name: string): void {
    const restartPolicy = this.#pick(POLICIES);
    const finalizers = this.#random.next() < 0.2 ? ['example.com/hold'] : [];
    const deadline = this.#random.next() < 0.2 ? { activeDeadlineSeconds: 120 } : {};
    const { metadata } = this.#kubernetes.addPod(
      aPod({ name, restartPolicy, ...deadline, ...(finalizers.length > 0 && { metadata: { finalizers } }) }),
    );
    this.#log(
      `user creates ${name} ${restartPolicy} ${JSON.stringify(deadline)} ${finalizers.join()} uid ${metadata?.uid}`,
    );
  }

  #delete(name: string, graceSeconds: number | undefined): void {
    this.#log(`user deletes ${name} with grace ${graceSeconds ?? 'default'}`);
    this.#kubernetes.deletePod('default', name, graceSeconds);
  }

  #label(name: string): void {
    this.#log(`user labels ${name}`);
    this.#kubernetes.updatePod('default', name, (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { tier: String(this.#random.next()) } },
    }));
  }

  #dropFinalizers(name: string): void {
    this.#log(`user drops the finalizers of ${name}`);
    this.#kubernetes.updatePod('default', name, (pod) => {
      const { finalizers: _finalizers, ...metadata } = pod.metadata ?? {};
      return { ...pod, metadata };
    });
  }

  /** The end of the world: every pod goes. */
  deleteAll(): void {
    for (const { metadata } of this.#kubernetes.allPods()) {
      const name = metadata?.name ?? '';
      this.#dropFinalizers(name);
      if (this.#kubernetes.findPod('default', name)) this.#delete(name, undefined);
    }
  }

  #pick<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.#random.next() * choices.length)];
    if (choice === undefined && choices.length === 0) throw new Error('nothing to choose from');
    return choice as T;
  }
}
