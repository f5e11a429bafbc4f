import type { Container } from '../../src/model/kubernetes.ts';
import type { FakeKubernetes } from '../fakes/kubernetes/fake-kubernetes.ts';
import { aPod } from '../support/a-pod.ts';
import type { Chance } from './chance.ts';

const exec = { command: ['cat', '/tmp/ok'] };
/** The probes of pods by their names: one becomes ready when its check passes, one is restarted when it fails. */
const PROBES: Readonly<Record<string, Partial<Container>>> = {
  'db-0': { readinessProbe: { exec } },
  web: { livenessProbe: { exec } },
};

/** True where something checks the health of this pod's container. */
export const isProbed = (podUid: string): boolean => PROBES[podUid.replace(/\.\d+$/, '')] !== undefined;

/** What people and controllers do with pods: few names, so that they are used again. UIDs read `web.2`: the second of that name. */
export class Users {
  readonly #kubernetes: FakeKubernetes;
  readonly #chance: Chance;
  readonly #log: (line: string) => void;
  readonly #made = new Map<string, number>();

  constructor(kubernetes: FakeKubernetes, chance: Chance, log: (line: string) => void) {
    this.#kubernetes = kubernetes;
    this.#chance = chance;
    this.#log = log;
  }

  /** One deed, named so that it can be left out. */
  act(deed: string): void {
    if (!this.#chance.happens('deed', deed)) return;
    const name = this.#chance.pick(`name ${deed}`, ['db-0', 'web', 'job']);
    const pod = this.#kubernetes.findPod('default', name);
    if (!pod) return this.create(name);
    const luck = this.#chance.draw(`what ${deed}`);
    if (luck < 0.5) this.#delete(name, this.#chance.pick(`grace ${deed}`, [undefined, undefined, 0, 5]));
    else if (luck < 0.6) this.#dropFinalizers(name);
    else if (luck < 0.8) this.#label(name, deed);
  }

  create(name: string): void {
    const count = (this.#made.get(name) ?? 0) + 1;
    this.#made.set(name, count);
    const uid = `${name}.${count}`;
    const restartPolicy = this.#chance.pick(`policy ${uid}`, ['Always', 'OnFailure', 'Never']);
    const finalizers = this.#chance.draw(`finalizers ${uid}`) < 0.2 ? ['example.com/hold'] : [];
    const deadline = this.#chance.draw(`deadline ${uid}`) < 0.2 ? { activeDeadlineSeconds: 120 } : {};
    this.#log(`user creates ${uid} ${restartPolicy} ${JSON.stringify(deadline)} ${finalizers.join()}`);
    this.#kubernetes.addPod(
      aPod({
        name,
        uid,
        restartPolicy,
        ...deadline,
        containers: [PROBES[name] ?? {}],
        ...(finalizers.length > 0 && { metadata: { uid, finalizers } }),
      }),
    );
  }

  #delete(name: string, graceSeconds: number | undefined): void {
    this.#log(`user deletes ${name} with grace ${graceSeconds ?? 'default'}`);
    this.#kubernetes.deletePod('default', name, graceSeconds);
  }

  #label(name: string, deed: string): void {
    this.#log(`user labels ${name}`);
    this.#kubernetes.updatePod('default', name, (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { tier: deed } },
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
}
