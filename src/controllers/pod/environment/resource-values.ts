import { countOf, parseQuantity, type Quantity, toMilli, toWhole, ZERO } from '../../../core/quantity.ts';
import type { Allocatable } from '../../../model/environment.ts';
import type { Container } from '../../../model/kubernetes.ts';

/** A resolved `resourceFieldRef`, or why there is no value. */
export type ResourceValue =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'no-limit' }
  | { readonly kind: 'unknown' };

const FIELD = /^(limits|requests)\.(cpu|memory|ephemeral-storage)$/;

/**
 * A `resourceFieldRef` of the environment: the amount in units of `divisor` (default 1), rounded up. A request that is
 * not there is 0. A limit that is not there is what the container may use at most: kubelet takes the node's
 * allocatable, here it is `allocatable`, the size of the pod's own sandbox, because a node without a machine has no
 * memory or processors that a container could count on.
 */
export const resourceValue = (
  container: Container,
  reference: { readonly resource: string; readonly divisor?: string },
  allocatable: Allocatable | undefined,
): ResourceValue => {
  const [, kind, resource] = FIELD.exec(reference.resource) ?? [];
  if (resource !== 'cpu' && resource !== 'memory' && resource !== 'ephemeral-storage') return { kind: 'unknown' };

  const given = container.resources?.[kind === 'limits' ? 'limits' : 'requests']?.[resource];
  const amount = given === undefined ? ZERO : parseQuantity(given);
  const divisor = divisorOf(reference.divisor);
  if (kind === 'requests' || amount.nano > 0n) return { kind: 'value', value: inUnits(resource, amount, divisor) };
  if (!allocatable) return { kind: 'no-limit' };
  return { kind: 'value', value: inUnits(resource, parseQuantity(allocatable[resource]), divisor) };
};

/** kubelet reads CPU in millicores and everything else in whole bytes before it divides. */
const inUnits = (resource: string, amount: Quantity, divisor: Quantity): string => {
  const round = resource === 'cpu' ? toMilli : toWhole;
  return String(countOf({ nano: BigInt(round(divisor)) }, { nano: BigInt(round(amount)) }));
};

const divisorOf = (divisor: string | undefined): Quantity => {
  const parsed = parseQuantity(divisor ?? '1');
  return parsed.nano > 0n ? parsed : parseQuantity('1');
};
