import * as z from 'zod/mini';
import { ConflictError, PermanentError } from '../../core/errors.ts';
import type { NodeFields, NodeRow, NodeStore } from '../../ports/node-store.ts';
import { BEATS_KEY, nodeKey, SCHEMA_VERSION } from './schema.ts';
import type { Table } from './table.ts';

const nodeItem = z.object({
  adoptedAt: z.optional(z.number()),
  clusterId: z.optional(z.string()),
  reachableAt: z.optional(z.number()),
  unreachableSince: z.optional(z.number()),
  refusals: z.optional(z.record(z.string(), z.number())),
  outOfCapacityUntil: z.optional(z.number()),
} satisfies Record<keyof NodeRow, unknown>);

/** Between the two requests of a turn somebody else may have taken one; hardly ever twice. */
const MOST_TURN_TRIES = 3;

/** Rows of nodes and the beats' cursor on DynamoDB. One request a method, but for turns. */
export class DynamoNodeStore implements NodeStore {
  readonly #table: Table;
  readonly #cluster: string;

  /** `cluster` names the Kubernetes cluster (or the deployment) in the keys. */
  constructor({ table, cluster }: { readonly table: Table; readonly cluster: string }) {
    this.#table = table;
    this.#cluster = cluster;
  }

  async get(node: string): Promise<NodeRow | undefined> {
    const pk = nodeKey(this.#cluster, node);
    const item = await this.#table.get(pk);
    if (!item) return undefined;
    const parsed = nodeItem.safeParse(item);
    if (!parsed.success) throw new PermanentError(`row ${pk} is not one of ours: delete it`, { cause: parsed.error });
    return withoutUndefined(parsed.data);
  }

  async put(node: string, fields: NodeFields): Promise<void> {
    const entries = Object.entries({ ...fields, schemaVersion: SCHEMA_VERSION });
    const set = entries.filter(([, value]) => value !== undefined);
    const removed = entries.filter(([, value]) => value === undefined);
    const remove = removed.length === 0 ? '' : ` REMOVE ${removed.map(([field]) => `#${field}`).join(', ')}`;
    const values = Object.fromEntries(set.map(([field, value]) => [`:${field}`, value]));
    const written = await this.#table.update(nodeKey(this.#cluster, node), {
      update: `SET ${set.map(([field]) => `#${field} = :${field}`).join(', ')}${remove}`,
      condition: 'attribute_not_exists(#schemaVersion) OR #schemaVersion <= :schemaVersion',
      values,
    });
    if (!written.ok) throw new PermanentError(`the row of node ${node} is of a newer version: deploy that everywhere`);
  }

  async moveBeatCursor(from: number | undefined, to: number): Promise<void> {
    const written = await this.#table.update(BEATS_KEY, {
      update: 'SET #beatsSentUntil = :to, #schemaVersion = :schema',
      condition: from === undefined ? 'attribute_not_exists(#beatsSentUntil)' : '#beatsSentUntil = :from',
      values: { ':to': to, ':schema': SCHEMA_VERSION, ...(from !== undefined && { ':from': from }) },
    });
    if (!written.ok) throw new ConflictError('another run has moved the cursor of the beats');
  }

  async beatCursor(): Promise<number | undefined> {
    const cursor = (await this.#table.get(BEATS_KEY))?.['beatsSentUntil'];
    return typeof cursor === 'number' ? cursor : undefined;
  }

  /** Two requests where nobody has waited lately. */
  async takeTurn(node: string, { now, everyMs }: { readonly now: number; readonly everyMs: number }): Promise<number> {
    const pk = nodeKey(this.#cluster, node);
    for (let tries = 0; tries < MOST_TURN_TRIES; tries += 1) {
      const after = await this.#table.update(pk, {
        update: 'SET #lastTurnAt = #lastTurnAt + :everyMs',
        condition: '#lastTurnAt > :now',
        values: { ':everyMs': everyMs, ':now': now },
        returns: 'ALL_NEW',
      });
      if (after.ok) return Number(after.item?.['lastTurnAt']);
      const turn = now + everyMs;
      const first = await this.#table.update(pk, {
        update: 'SET #lastTurnAt = :turn, #schemaVersion = :schema',
        condition: 'attribute_not_exists(#lastTurnAt) OR #lastTurnAt <= :now',
        values: { ':turn': turn, ':now': now, ':schema': SCHEMA_VERSION },
      });
      if (first.ok) return turn;
    }
    throw new ConflictError(`turns of node ${node} are taken faster than they can be asked for`);
  }
}

// zod's optional fields admit undefined, our rows leave such a field out.
const withoutUndefined = (row: z.infer<typeof nodeItem>): NodeRow => {
  const { adoptedAt, clusterId, reachableAt, unreachableSince, refusals, outOfCapacityUntil } = row;
  return {
    ...(adoptedAt !== undefined && { adoptedAt }),
    ...(clusterId !== undefined && { clusterId }),
    ...(reachableAt !== undefined && { reachableAt }),
    ...(unreachableSince !== undefined && { unreachableSince }),
    ...(refusals !== undefined && { refusals }),
    ...(outOfCapacityUntil !== undefined && { outOfCapacityUntil }),
  };
};
