import type { NodeRow } from '../../ports/node-store.ts';

/** A schedule of one minute with some jitter: the second failed check counts as a minute, the sixth as five. */
const UNREACHABLE_AFTER_MS = 50_000;
const NOT_READY_AFTER_MS = 290_000;

/** What a check of the provider means for the node. */
export interface Reachability {
  /** Status of the condition FargateReachable. */
  readonly reachable: 'True' | 'False' | 'Unknown';
  readonly ready: boolean;
  /** Milliseconds since the epoch; when the provider stopped answering. */
  readonly unreachableSince?: number;
  /** What the node's row must remember of it. */
  readonly remember?: Partial<NodeRow>;
}

/**
 * Short trouble changes nothing; a minute of it sets FargateReachable to False, five minutes make the node not Ready. A
 * node whose provider has never answered is not Ready yet. Pure.
 */
export const planReachability = ({
  answered,
  row,
  wasReachable,
  now,
}: {
  readonly answered: boolean;
  readonly row: NodeRow | undefined;
  /** Whether the Node object says so: it stands in for a row that was lost. */
  readonly wasReachable: boolean;
  readonly now: number;
}): Reachability => {
  const { reachableAt, unreachableSince } = row ?? {};
  const down = unreachableSince !== undefined && unreachableSince > (reachableAt ?? 0);
  if (answered) {
    const known = reachableAt !== undefined && !down;
    return { reachable: 'True', ready: true, ...(!known && { remember: { reachableAt: now } }) };
  }
  const since = down ? unreachableSince : now;
  const remember = down ? {} : { remember: { unreachableSince: now } };
  if (reachableAt === undefined && !wasReachable)
    return { reachable: 'Unknown', ready: false, unreachableSince: since, ...remember };
  return {
    reachable: now - since >= UNREACHABLE_AFTER_MS ? 'False' : 'True',
    ready: now - since < NOT_READY_AFTER_MS,
    unreachableSince: since,
    ...remember,
  };
};
