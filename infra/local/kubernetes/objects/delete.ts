import type { Api } from '../api.ts';
import type { KubernetesObject } from '../model/object.ts';
import { conflict, forbiddenTo } from '../model/status.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { asPod } from '../resources/typed.ts';
import { formatTime } from '../values/time.ts';
import type { DeleteOptions } from './delete-options.ts';

export interface Deleted {
  readonly object: KubernetesObject;
  /** It is out of the store; else it waits for its grace period or its finalizers. */
  readonly isRemoved: boolean;
}

const PROTECTED_NAMESPACES = ['default', 'kube-system', 'kube-public'];

/**
 * Deletes `current` as the server would: pods bound to a node keep their grace period (their kubelet ends it with
 * grace 0), pods without a node or at their end go at once, finalizers hold everything.
 * @throws {ApiError} 409 where a precondition does not hold.
 */
export const deleteObject = (
  { store, clock }: Pick<Api, 'store' | 'clock'>,
  definition: ResourceDefinition,
  current: KubernetesObject,
  options: DeleteOptions,
): Deleted => {
  checkPreconditions(definition, current, options);
  if (definition.resource === 'namespaces') return deleteNamespace({ store, clock }, definition, current, options);
  const grace = definition.resource === 'pods' ? podGrace(current, options.gracePeriodSeconds) : 0;
  const { metadata } = current;
  const before = metadata.deletionTimestamp === undefined ? undefined : (metadata.deletionGracePeriodSeconds ?? 0);
  const isHeld = (metadata.finalizers ?? []).length > 0;
  if (before !== undefined && grace >= before && (grace > 0 || isHeld)) return { object: current, isRemoved: false };
  const marked = mark(definition, current, grace, before, clock.now());
  const isRemoved = grace === 0 && !isHeld;
  if (options.isDryRun) return { object: marked, isRemoved };
  const object = isRemoved ? store.remove(definition.resource, marked) : store.update(definition, current, marked);
  return { object, isRemoved };
};

const checkPreconditions = (
  { kind, group }: ResourceDefinition,
  { metadata }: KubernetesObject,
  { preconditions }: DeleteOptions,
): void => {
  const name = metadata.name ?? '';
  const { uid, resourceVersion } = preconditions ?? {};
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      { group, resource: kind },
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ''}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      { group, resource: kind },
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion ?? ''}). The object might have been modified`,
    );
  }
};

/** `podStrategy.CheckGracefulDelete`. */
const podGrace = (object: KubernetesObject, asked: number | undefined): number => {
  const { spec, status } = asPod(object);
  if (!spec?.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0;
  const grace = asked ?? spec.terminationGracePeriodSeconds ?? 30;
  return grace < 0 ? 1 : grace;
};

/** Sets the deletion's time: now plus grace, or the time already set moved to the shorter grace. */
const mark = (
  { strategy }: ResourceDefinition,
  current: KubernetesObject,
  grace: number,
  before: number | undefined,
  now: number,
): KubernetesObject => {
  const { metadata } = current;
  const start =
    before === undefined ? now : Math.min(now, Date.parse(metadata.deletionTimestamp ?? '') - before * 1_000);
  const isCounted = strategy.startsGeneration !== undefined && before === undefined;
  return {
    ...current,
    metadata: {
      ...metadata,
      ...(isCounted ? { generation: (metadata.generation ?? 0) + 1 } : {}),
      deletionTimestamp: formatTime(
        grace === 0 && before !== undefined ? Math.min(now, start + before * 1_000) : start + grace * 1_000,
      ),
      deletionGracePeriodSeconds: grace,
    },
  };
};

/** A namespace is only marked; the namespace controller removes it once it is empty. */
const deleteNamespace = (
  { store, clock }: Pick<Api, 'store' | 'clock'>,
  definition: ResourceDefinition,
  current: KubernetesObject,
  { isDryRun }: DeleteOptions,
): Deleted => {
  const { metadata } = current;
  if (PROTECTED_NAMESPACES.includes(metadata.name ?? '')) {
    throw forbiddenTo(definition, metadata.name ?? '', 'this namespace may not be deleted');
  }
  if (metadata.deletionTimestamp !== undefined) return { object: current, isRemoved: false };
  const marked = {
    ...current,
    metadata: { ...metadata, deletionTimestamp: formatTime(clock.now()) },
    status: { phase: 'Terminating' },
  };
  return { object: isDryRun ? marked : store.update(definition, current, marked), isRemoved: false };
};
