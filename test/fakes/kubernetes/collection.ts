import { isDeepStrictEqual } from 'node:util';
import { ConflictError, NotFoundError } from '../../../src/core/errors.ts';
import type { ObjectMeta } from '../../../src/model/kubernetes.ts';
import { frozenJson } from '../frozen-json.ts';

export interface Stored {
  metadata?: ObjectMeta;
}

/** What all collections of one fake server share. */
export interface ServerClock {
  /** The next resourceVersion: one counter for all kinds, as in etcd. */
  nextVersion(): string;
  uuid(): string;
  /** RFC 3339, whole seconds, `offsetSeconds` from now. */
  timestamp(offsetSeconds?: number): string;
}

export type Change = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Objects of one kind with the rules of the API server for names, UIDs and resourceVersions. What it answers is frozen. */
export class Collection<T extends Stored> {
  readonly #resource: string;
  readonly #server: ServerClock;
  readonly #objects = new Map<string, T>();
  readonly #listeners: ((change: Change, object: T) => void)[] = [];

  /** `resource` is the plural the messages show: `pods`. */
  constructor(resource: string, server: ServerClock) {
    this.#resource = resource;
    this.#server = server;
  }

  listen(listener: (change: Change, object: T) => void): void {
    this.#listeners.push(listener);
  }

  find(namespace: string, name: string): T | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  get(namespace: string, name: string): T {
    const object = this.find(namespace, name);
    if (!object) throw new NotFoundError(`${this.#resource} "${name}" not found`);
    return object;
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  /** POST. @throws {ConflictError} where the name is taken. */
  create(object: T): T {
    const given = object.metadata ?? {};
    const version = this.#server.nextVersion();
    const name = given.name ?? `${given.generateName ?? 'object-'}${version.padStart(5, '0')}`;
    const key = `${given.namespace ?? ''}/${name}`;
    if (this.#objects.has(key)) throw new ConflictError(`${this.#resource} "${name}" already exists`);
    const created = frozenJson<T>({
      ...object,
      metadata: {
        ...given,
        name,
        uid: given.uid ?? this.#server.uuid(),
        resourceVersion: version,
        creationTimestamp: given.creationTimestamp ?? this.#server.timestamp(),
      },
    });
    this.#objects.set(key, created);
    this.#tell('ADDED', created);
    return created;
  }

  /**
   * Replaces the object by what `change` makes of it. A change that changes nothing keeps the resourceVersion, as on the
   * server; name, namespace and UID never change.
   */
  write(namespace: string, name: string, change: (current: T) => T, expected: Expected = {}): T {
    const current = this.get(namespace, name);
    this.check(current, expected);
    const changed = change(current);
    const { uid, resourceVersion, creationTimestamp } = current.metadata ?? {};
    const withVersion = (version: string | undefined): T =>
      frozenJson({
        ...changed,
        metadata: {
          ...changed.metadata,
          name,
          ...(namespace && { namespace }),
          ...(uid && { uid }),
          ...(version && { resourceVersion: version }),
          ...(creationTimestamp && { creationTimestamp }),
        },
      });
    if (isDeepStrictEqual(withVersion(resourceVersion), current)) return current;
    const next = withVersion(this.#server.nextVersion());
    this.#objects.set(`${namespace}/${name}`, next);
    this.#tell('MODIFIED', next);
    return next;
  }

  /** @throws {ConflictError} in the server's words where `object` is another or a newer one. */
  check(object: T, { uid, resourceVersion }: Expected): void {
    const { name, uid: actualUid, resourceVersion: actualVersion } = object.metadata ?? {};
    const refusal = `Operation cannot be fulfilled on ${this.#resource} "${name}":`;
    if (uid !== undefined && uid !== actualUid)
      throw new ConflictError(
        `${refusal} Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actualUid}`,
      );
    if (resourceVersion !== undefined && resourceVersion !== actualVersion)
      throw new ConflictError(
        `${refusal} the object has been modified; please apply your changes to the latest version and try again`,
      );
  }

  remove(namespace: string, name: string): void {
    const object = this.get(namespace, name);
    this.#objects.delete(`${namespace}/${name}`);
    this.#tell('DELETED', object);
  }

  #tell(change: Change, object: T): void {
    for (const listener of this.#listeners) listener(change, object);
  }
}

/** Preconditions of a write. */
export interface Expected {
  readonly uid?: string;
  readonly resourceVersion?: string;
}
