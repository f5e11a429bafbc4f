import type { Container, Pod } from '../../src/model/kubernetes.ts';
import type { Change } from '../fakes/kubernetes/collection.ts';
import type { FakeKubernetes } from '../fakes/kubernetes/fake-kubernetes.ts';
import { aPod } from '../support/a-pod.ts';
import type { Weather } from './weather.ts';

const exec = { command: ['cat', '/tmp/ok'] };
/** The probes of pods by their names: one becomes ready when its check passes, one is restarted when it fails. */
const PROBES: Readonly<Record<string, Partial<Container>>> = {
  'db-0': { readinessProbe: { exec } },
  web: { livenessProbe: { exec } },
};

const AGAIN_WITHIN_MS = 2_000;

/** True where something checks the health of this pod's container. */
export const isProbed = (podUid: string): boolean => PROBES[podUid.replace(/\.\d+$/, '')] !== undefined;

/** What people and controllers do with pods: few names, so that they are used again. UIDs read `web.2`: the second of that name. */
export class Users {
  readonly #kubernetes: FakeKubernetes;
  readonly #weather: Weather;
  readonly #made = new Map<string, number>();
  #areActing = false;
  #areLeaving = false;

  constructor(kubernetes: FakeKubernetes, weather: Weather) {
    this.#kubernetes = kubernetes;
    this.#weather = weather;
  }

  /** What changes right now is their doing, not ours. */
  get areActing(): boolean {
    return this.#areActing;
  }

  /** One deed, named so that it can be left out. */
  act(deed: string): void {
    this.#byHand(() => this.#act(deed));
  }

  /** The end of the world: every pod goes, and none comes any more. */
  deleteAll(): void {
    this.#areLeaving = true;
    this.#byHand(() => {
      for (const { metadata } of this.#kubernetes.allPods()) {
        const name = metadata?.name ?? '';
        this.#dropFinalizers(name);
        if (this.#kubernetes.findPod('default', name)) this.#delete(name, undefined);
      }
    });
  }

  /** Every change of a pod comes by here. */
  changed(change: Change, pod: Pod): void {
    if (change === 'DELETED') this.#recreate(pod);
    else this.#force(pod);
  }

  #byHand(act: () => void): void {
    this.#areActing = true;
    act();
    this.#areActing = false;
  }

  #act(deed: string): void {
    if (!this.#weather.chance.happens('deed', deed)) return;
    const name = this.#weather.chance.pick(`name ${deed}`, ['db-0', 'web', 'job']);
    const pod = this.#kubernetes.findPod('default', name);
    if (!pod) return this.#create(name);
    const luck = this.#weather.chance.draw(`what ${deed}`);
    if (luck < 0.5) this.#delete(name, this.#weather.chance.pick(`grace ${deed}`, [undefined, undefined, 0, 5]));
    else if (luck < 0.6) this.#dropFinalizers(name);
    else if (luck < 0.8) this.#label(name, deed);
  }

  #create(name: string): void {
    const count = (this.#made.get(name) ?? 0) + 1;
    this.#made.set(name, count);
    const uid = `${name}.${count}`;
    const restartPolicy = this.#weather.chance.pick(`policy ${uid}`, ['Always', 'OnFailure', 'Never']);
    const finalizers = this.#weather.chance.draw(`finalizers ${uid}`) < 0.2 ? ['example.com/hold'] : [];
    const deadline = this.#weather.chance.draw(`deadline ${uid}`) < 0.2 ? { activeDeadlineSeconds: 120 } : {};
    this.#weather.log(`user creates ${uid} ${restartPolicy} ${JSON.stringify(deadline)} ${finalizers.join()}`);
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
    this.#weather.log(`user deletes ${name} with grace ${graceSeconds ?? 'default'}`);
    this.#kubernetes.deletePod('default', name, graceSeconds);
  }

  #label(name: string, deed: string): void {
    this.#weather.log(`user labels ${name}`);
    this.#kubernetes.updatePod('default', name, (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { tier: deed } },
    }));
  }

  #dropFinalizers(name: string): void {
    this.#weather.log(`user drops the finalizers of ${name}`);
    this.#kubernetes.updatePod('default', name, (pod) => {
      const { finalizers: _finalizers, ...metadata } = pod.metadata ?? {};
      return { ...pod, metadata };
    });
  }

  /** An impatient one: the pod is about to go anyway, and is deleted by force at the very moment we let it go. */
  #force({ metadata, status }: Pod): void {
    const isGoing = metadata?.deletionTimestamp !== undefined && ['Succeeded', 'Failed'].includes(status?.phase ?? '');
    const { name = '', uid = '' } = metadata ?? {};
    const { chance, profile } = this.#weather;
    if (!isGoing || this.#areLeaving || !chance.befalls('deleted by force', uid, 0.3)) return;
    this.#weather.after(chance.amount(`force ${uid}`, 0, profile.latencyMs), () => {
      if (this.#kubernetes.findPod('default', name)?.metadata?.uid !== uid) return;
      this.#byHand(() => {
        this.#kubernetes.deletePod('default', name, 0);
        if (!this.#kubernetes.findPod('default', name)) this.#create(name);
      });
    });
  }

  /** Controllers make a new pod of the same name at once. */
  #recreate({ metadata }: Pod): void {
    const { name = '', uid = '' } = metadata ?? {};
    const { chance } = this.#weather;
    if (this.#areLeaving || !chance.befalls('created again', uid, 0.5)) return;
    this.#weather.after(chance.amount(`again ${uid}`, 0, AGAIN_WITHIN_MS), () => {
      if (!this.#areLeaving && !this.#kubernetes.findPod('default', name)) this.#byHand(() => this.#create(name));
    });
  }
}
