import type { KubernetesObject } from '../model/object.ts';
import { modified, type ResourceName } from '../model/status.ts';

/** One change: `object` is the state after it (for `DELETED` the last state, at the revision of its end). */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly object: KubernetesObject;
  /** The state before it; undefined for `ADDED`. */
  readonly previous: KubernetesObject | undefined;
}

export type ChangeListener = (change: Change) => void;

interface Collection {
  readonly objects: Map<string, KubernetesObject>;
  readonly changes: Change[];
  readonly listeners: Set<ChangeListener>;
  /** Changes up to this revision are forgotten. */
  forgottenTo: number;
}

/**
 * All objects, in memory, with one revision counter as etcd has it. Every write is synchronous and whole: readers
 * never see half of one, and whoever listens hears of changes in revision order, before the writer goes on.
 * Objects are never changed in place.
 */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #historyLimit: number;
  #revision = 0;

  /** `historyLimit`: changes remembered per resource; a watch from before them must list anew (410). */
  constructor(historyLimit = 1_000) {
    this.#historyLimit = historyLimit;
  }

  get revision(): number {
    return this.#revision;
  }

  get(resource: string, namespace: string | undefined, name: string): KubernetesObject | undefined {
    return this.#collection(resource).objects.get(keyOf(namespace, name));
  }

  /** In the order of namespace and name, as etcd's keys are. */
  list(resource: string, namespace?: string): readonly KubernetesObject[] {
    const { objects } = this.#collection(resource);
    return [...objects.keys()]
      .filter((key) => namespace === undefined || key.startsWith(`${namespace}/`))
      .sort()
      .flatMap((key) => objects.get(key) ?? []);
  }

  /** Stores a new object, overwriting none: the caller has looked. Returns it with its resourceVersion. */
  create(resource: string, object: KubernetesObject): KubernetesObject {
    return this.#write(resource, 'ADDED', object, undefined);
  }

  /** Stores the next state of `current`. @throws {ApiError} 409 where somebody wrote since `current` was read. */
  update(resource: ResourceName, current: KubernetesObject, next: KubernetesObject): KubernetesObject {
    const { namespace, name = '' } = current.metadata;
    if (this.get(resource.resource, namespace, name) !== current) throw modified(resource, name);
    return this.#write(resource.resource, 'MODIFIED', next, current);
  }

  /** Takes the object away; `last` is the state its watchers see. */
  remove(resource: string, last: KubernetesObject): KubernetesObject {
    const { namespace, name = '' } = last.metadata;
    return this.#write(resource, 'DELETED', last, this.get(resource, namespace, name));
  }

  /** Changes after `revision`, oldest first; `expired` where some are forgotten. */
  since(resource: string, revision: number): readonly Change[] | 'expired' {
    const { changes, forgottenTo } = this.#collection(resource);
    return revision < forgottenTo ? 'expired' : changes.filter((change) => change.revision > revision);
  }

  /** Calls `listener` for every change from now on, until the returned function is called. */
  listen(resource: string, listener: ChangeListener): () => void {
    const { listeners } = this.#collection(resource);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  #write(
    resource: string,
    type: Change['type'],
    object: KubernetesObject,
    previous: KubernetesObject | undefined,
  ): KubernetesObject {
    const collection = this.#collection(resource);
    this.#revision += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
    const key = keyOf(stored.metadata.namespace, stored.metadata.name ?? '');
    if (type === 'DELETED') collection.objects.delete(key);
    else collection.objects.set(key, stored);
    const change = { type, revision: this.#revision, object: stored, previous };
    collection.changes.push(change);
    if (collection.changes.length > this.#historyLimit) {
      collection.forgottenTo = collection.changes.shift()?.revision ?? collection.forgottenTo;
    }
    for (const listener of Array.from(collection.listeners)) listener(change);
    return stored;
  }

  #collection(resource: string): Collection {
    const known = this.#collections.get(resource);
    if (known) return known;
    const collection = { objects: new Map(), changes: [], listeners: new Set<ChangeListener>(), forgottenTo: 0 };
    this.#collections.set(resource, collection);
    return collection;
  }
}

const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;
