import { hasSeenPod, type PodWake } from '../../model/messages.ts';
import type { RowWrite } from '../../ports/pod-store.ts';
import { knownPodsPartition, SCHEMA_VERSION } from './schema.ts';
import type { Item, Update } from './table.ts';

/** The row is there and of a layout we know (`:schema`). */
export const READABLE = 'attribute_exists(#pk) AND #schemaVersion <= :schema';

/** The row has not expired (`:seconds`: now, in seconds since the epoch). */
export const LIVE = '(attribute_not_exists(#ttl) OR #ttl > :seconds)';

/** There is no row, or one that may be woken. */
const MAKEABLE = `(attribute_not_exists(#pk) OR (${READABLE} AND ${LIVE}))`;

/** Grows `wanted`; makes the row where the sender saw the pod and names its node. */
export const wakeUpdate = (
  { uid, namespace, name, node, reason }: PodWake,
  { cluster, seconds }: { readonly cluster: string; readonly seconds: number },
): Update => {
  if (!hasSeenPod(reason) || node === undefined) {
    return {
      update: 'ADD #wanted :one',
      condition: `attribute_exists(#pk) AND ${LIVE}`,
      values: { ':one': 1, ':seconds': seconds },
    };
  }
  const initial = {
    schemaVersion: SCHEMA_VERSION,
    pod: { namespace, name, uid },
    node,
    observations: {},
    state: JSON.stringify({ attempts: [], restarts: {} }),
  };
  const fields = Object.entries(initial);
  const made = fields.map(([field]) => `#${field} = if_not_exists(#${field}, :${field})`);
  return {
    // Anew each time: a row of older code may stand in a partition that nobody reads any more. The pod was seen: a row that
    // was about to expire lives on.
    update: `SET #kpPk = :kpPk, ${made.join(', ')} ADD #wanted :one REMOVE #ttl`,
    values: {
      ':one': 1,
      ':kpPk': knownPodsPartition(cluster, node, uid),
      ...Object.fromEntries(fields.map(([field, value]) => [`:${field}`, value])),
    },
  };
};

/**
 * `update`, which grows `wanted` by one, with a claim in the same write. Only where nobody holds the row: a claim that ran
 * out must be taken over by a claim of its own, which answers whose it was.
 */
export const takingUpdate = (
  { update, condition = MAKEABLE, values: given, ...rest }: Update,
  { id, until }: { readonly id: string; readonly until: number },
  { timers, seconds }: { readonly timers: string; readonly seconds: number },
): Update => {
  const claim =
    '#claimId = :id, #claimUntil = :until, #nextCheckAt = :until, #timerPk = :timers, #seen = if_not_exists(#wanted, :zero) + :one';
  return {
    ...rest,
    update: update.startsWith('SET ') ? update.replace('SET ', `SET ${claim}, `) : `SET ${claim} ${update}`,
    condition: `attribute_not_exists(#claimId) AND ${condition}`,
    values: {
      ...given,
      ':id': id,
      ':until': until,
      ':timers': timers,
      ':zero': 0,
      ...(condition === MAKEABLE && { ':schema': SCHEMA_VERSION, ':seconds': seconds }),
    },
  };
};

/** Assignments of a SET for the fields given; {@link values} has what they name. */
export const assignments = ({
  state,
  resourceVersion,
  nextCheckAt,
  claimUntil,
}: Partial<RowWrite>): readonly string[] => [
  ...(state === undefined ? [] : ['#state = :state']),
  ...(resourceVersion === undefined ? [] : ['#resourceVersion = :resourceVersion']),
  ...(nextCheckAt === undefined ? [] : ['#nextCheckAt = :nextCheckAt', '#timerPk = :timers']),
  ...(claimUntil === undefined ? [] : ['#claimUntil = :claimUntil']),
];

/** `timers`: the pod's partition of the timers index. */
export const values = (
  { state, resourceVersion, nextCheckAt, claimUntil }: Partial<RowWrite>,
  timers: string,
): Item => ({
  ...(state !== undefined && { ':state': JSON.stringify(state) }),
  ...(resourceVersion !== undefined && { ':resourceVersion': resourceVersion }),
  ...(nextCheckAt !== undefined && { ':nextCheckAt': nextCheckAt, ':timers': timers }),
  ...(claimUntil !== undefined && { ':claimUntil': claimUntil }),
});
