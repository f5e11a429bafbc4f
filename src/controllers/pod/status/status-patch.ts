import { isDeepStrictEqual } from 'node:util';
import type { Pod, PodCondition, PodStatus } from '../../../model/kubernetes.ts';
import type { StatusPatch } from '../../../ports/kubernetes.ts';
import type { OwnStatus } from './pod-status.ts';

/**
 * What must change in the server's status, as a strategic merge patch; undefined where nothing must. Only our own fields
 * and condition types are in it: what others have written survives.
 */
export const statusPatch = (held: Pod['status'], own: OwnStatus): StatusPatch | undefined => {
  const patch: Record<string, unknown> = {};
  const put = (field: string, heldValue: unknown, value: unknown): void => {
    if (!isEqual(heldValue, value)) patch[field] = value ?? null;
  };
  put('phase', held?.phase, own.phase);
  put('reason', held?.reason, own.reason);
  put('message', held?.message, own.message);
  if (own.startTime !== undefined) put('startTime', held?.startTime, own.startTime);
  if (own.observedGeneration !== undefined) put('observedGeneration', held?.observedGeneration, own.observedGeneration);
  put('containerStatuses', held?.containerStatuses, own.containerStatuses);
  if (own.initContainerStatuses) put('initContainerStatuses', held?.initContainerStatuses, own.initContainerStatuses);

  const conditions = own.conditions.flatMap((condition) => conditionPatch(held?.conditions, condition));
  if (conditions.length > 0) patch['conditions'] = conditions;
  Object.assign(patch, addressPatch(held, own.ips));
  return Object.keys(patch).length === 0 ? undefined : patch;
};

const conditionPatch = (held: readonly PodCondition[] | undefined, own: PodCondition): Record<string, unknown>[] => {
  const known = held?.find(({ type }) => type === own.type);
  if (!known) return [{ ...own }];
  const { lastProbeTime: _probe, ...comparable } = known;
  if (isEqual(comparable, own)) return [];
  // Lists of conditions are merged by type: what is not there any more must be taken away by name.
  const emptied = (['reason', 'message'] as const).filter(
    (field) => known[field] !== undefined && own[field] === undefined,
  );
  return [{ ...own, ...Object.fromEntries(emptied.map((field) => [field, null])) }];
};

/** There is no node with an address of its own: a pod's host is the pod. */
const addressPatch = (held: PodStatus | undefined, ips: readonly string[] | undefined): Record<string, unknown> => {
  const first = ips?.[0];
  if (ips === undefined || first === undefined) return {};
  const wanted = ips.map((ip) => ({ ip }));
  return {
    ...(held?.podIP !== first && { podIP: first }),
    ...(held?.hostIP !== first && { hostIP: first }),
    ...(!isEqual(held?.podIPs, wanted) && { podIPs: replaced(held?.podIPs, wanted) }),
    ...(!isEqual(held?.hostIPs, wanted) && { hostIPs: replaced(held?.hostIPs, wanted) }),
  };
};

/** Address lists are merged by address: without the directive an old one would stay. */
const replaced = (held: readonly unknown[] | undefined, wanted: readonly unknown[]): readonly unknown[] =>
  held && held.length > 0 ? [{ $patch: 'replace' }, ...wanted] : wanted;

const isEqual = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a ?? null, b ?? null);
