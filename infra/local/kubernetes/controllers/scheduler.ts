import { hostname } from 'node:os';
import type { Pod } from '../../../../src/model/kubernetes.ts';
import { SYSTEM } from '../access/user.ts';
import type { Api } from '../api.ts';
import { type KubernetesObject, objectOf, objectsOf } from '../model/object.ts';
import { ApiError } from '../model/status.ts';
import { pods } from '../resources/pods.ts';
import { asNode, asPod } from '../resources/typed.ts';
import { bindPod } from '../subresources/binding.ts';
import { formatMicroTime, formatTime } from '../values/time.ts';
import { type EventText, recordEvent } from './event-recorder.ts';
import { describeRefusals, refusalOf } from './placement.ts';
import { Work } from './work.ts';

const NAME = 'default-scheduler';

/**
 * Binds pods to nodes that take them: taints, selectors, required node affinity and resources. No preferences, no
 * preemption: among nodes that fit, the one with the fewest pods. A pod nobody takes stays Pending and says why.
 */
export class Scheduler {
  readonly #api: Api;
  readonly #work: Work;
  /** Pods on their way to a node, by UID. */
  readonly #assumed = new Map<string, string>();

  constructor(api: Api) {
    this.#api = api;
    this.#work = new Work(() => this.#pass(), api.closing);
  }

  start(): void {
    this.#api.store.listen('pods', () => this.#work.wake());
    this.#api.store.listen('nodes', () => this.#work.wake());
  }

  async #pass(): Promise<void> {
    const { store } = this.#api;
    for (const { metadata } of store.list('pods').filter((pod) => this.#isWaiting(pod))) {
      const pod = store.get('pods', metadata.namespace, metadata.name ?? '');
      if (pod && this.#isWaiting(pod)) await this.#place(pod);
    }
  }

  #isWaiting(object: KubernetesObject): boolean {
    const { metadata, spec, status } = asPod(object);
    return (
      !spec?.nodeName &&
      !metadata?.deletionTimestamp &&
      spec?.schedulerName === NAME &&
      (spec.schedulingGates ?? []).length === 0 &&
      status?.phase === 'Pending' &&
      !this.#assumed.has(metadata?.uid ?? '')
    );
  }

  async #place(object: KubernetesObject): Promise<void> {
    const pod = asPod(object);
    const candidates = this.#api.store.list('nodes').map((node) => {
      const others = this.#podsOn(node.metadata.name ?? '');
      return { node, others, refusal: refusalOf(pod, asNode(node), others) };
    });
    const chosen = candidates
      .filter(({ refusal }) => refusal === undefined)
      .sort((left, right) => left.others.length - right.others.length)[0];
    if (chosen) this.#bind(object, chosen.node.metadata.name ?? '');
    else await this.#refuse(object, describeRefusals(candidates.flatMap(({ refusal }) => refusal ?? [])));
  }

  #podsOn(node: string): readonly Pod[] {
    return this.#api.store
      .list('pods')
      .map(asPod)
      .filter(({ spec, status, metadata }) => {
        const isDone = status?.phase === 'Succeeded' || status?.phase === 'Failed';
        return !isDone && (spec?.nodeName ?? this.#assumed.get(metadata?.uid ?? '')) === node;
      });
  }

  /** Bindings run beside each other: the webhook may take two seconds for each. */
  #bind(pod: KubernetesObject, node: string): void {
    const { name = '', namespace, uid = '' } = pod.metadata;
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { kind: 'Node', name: node },
    } as KubernetesObject;
    this.#assumed.set(uid, node);
    bindPod(this.#api, pod, binding, { user: SYSTEM, isDryRun: false })
      .then(() =>
        this.#record(pod, 'Binding', {
          type: 'Normal',
          reason: 'Scheduled',
          message: `Successfully assigned ${namespace ?? ''}/${name} to ${node}`,
        }),
      )
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
      })
      .finally(() => {
        this.#assumed.delete(uid);
        this.#work.wake();
      });
  }

  /** Says why once; a new event only where the reason has changed. */
  async #refuse(pod: KubernetesObject, message: string): Promise<void> {
    const status = objectOf(pod['status']);
    const conditions = objectsOf(status['conditions']);
    const known = conditions.find((condition) => condition['type'] === 'PodScheduled');
    if (known?.['message'] === message) return;
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      lastProbeTime: null,
      observedGeneration: pod.metadata.generation,
      lastTransitionTime: known?.['lastTransitionTime'] ?? formatTime(this.#api.clock.now()),
      reason: 'Unschedulable',
      message,
    };
    const others = conditions.filter((other) => other !== known);
    this.#api.store.update(pods, pod, { ...pod, status: { ...status, conditions: [...others, condition] } });
    await this.#record(pod, 'Scheduling', { type: 'Warning', reason: 'FailedScheduling', message });
  }

  #record(pod: KubernetesObject, action: string, text: EventText): Promise<void> {
    return recordEvent(this.#api, pod, text, {
      action,
      eventTime: formatMicroTime(this.#api.clock.now()),
      reportingComponent: NAME,
      reportingInstance: `${NAME}-${hostname()}`,
      source: {},
    });
  }
}
