import * as z from 'zod/mini';
import { sha256Hex, stableJson } from '../../core/digest.ts';
import { PermanentError } from '../../core/errors.ts';
import type { PodRow, PodState } from '../../model/pod-row.ts';
import type { Workload } from '../../model/workload.ts';
import type { KnownPod } from '../../ports/pod-store.ts';
import type { Item } from './table.ts';

/** An observation as the row holds it: see {@link observationEntry}. */
export interface ObservationEntry {
  readonly version: number;
  readonly body: string;
  readonly content: Readonly<Record<string, number>>;
}

/** What identifies an observation's content: everything but its version. */
export const contentHash = (workload: Workload): string => sha256Hex(stableJson({ ...workload, version: 0 }), 16);

/**
 * The content's hash is a *name* (`content.<hash> = 0`), so that one expression can grow `wanted` by
 * `if_not_exists(content.<hash>, 1)`: by 0 where the stored observation says the same, else by 1.
 */
export const observationEntry = (workload: Workload): ObservationEntry => ({
  version: workload.version,
  body: JSON.stringify(workload),
  content: { [contentHash(workload)]: 0 },
});

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// Written by this code only and guarded by schemaVersion: a schema here would drop the fields it does not know.
const podState = z.custom<PodState>(
  (value) => isRecord(value) && Array.isArray(value['attempts']) && isRecord(value['restarts']),
);
const workload = z.custom<Workload>((value) => isRecord(value) && typeof value['id'] === 'string');

const knownPodItem = z.object({
  pod: z.object({ namespace: z.string(), name: z.string(), uid: z.string() }),
  node: z.string(),
  resourceVersion: z.optional(z.string()),
});

const podItem = z.extend(knownPodItem, {
  wanted: z.number(),
  // Absent until the first claim.
  seen: z._default(z.number(), 0),
  claimId: z.optional(z.string()),
  claimUntil: z.optional(z.number()),
  nextCheckAt: z.optional(z.number()),
  observations: z.record(z.string(), z.object({ body: z.string() })),
  state: z.string(),
});

/** True once `ttl` (seconds) has passed: DynamoDB removes such rows up to days late. */
export const isExpired = (item: Item, now: number): boolean =>
  typeof item['ttl'] === 'number' && item['ttl'] * 1000 <= now;

/** @throws {PermanentError} where the row is none of ours. */
export const parsePodRow = (item: Item): PodRow =>
  orPermanent(item, () => {
    const { claimId, claimUntil, nextCheckAt, observations, state, wanted, seen, ...known } = podItem.parse(item);
    return {
      ...knownPodOf(known),
      wanted,
      seen,
      ...(claimId !== undefined && claimUntil !== undefined && { claim: { id: claimId, until: claimUntil } }),
      ...(nextCheckAt !== undefined && { nextCheckAt }),
      observations: Object.fromEntries(
        Object.entries(observations).map(([id, { body }]) => [id, workload.parse(JSON.parse(body))]),
      ),
      state: podState.parse(JSON.parse(state)),
    };
  });

/** What both indexes project. @throws {PermanentError} where the row is none of ours. */
export const parseKnownPod = (item: Item): KnownPod => orPermanent(item, () => knownPodOf(knownPodItem.parse(item)));

const knownPodOf = ({ pod, node, resourceVersion }: z.infer<typeof knownPodItem>): KnownPod => ({
  pod,
  node,
  ...(resourceVersion !== undefined && { resourceVersion }),
});

const orPermanent = <T>(item: Item, parse: () => T): T => {
  try {
    return parse();
  } catch (cause) {
    throw new PermanentError(`row ${String(item['pk'])} is not one of ours: delete it, its pod is adopted anew`, {
      cause,
    });
  }
};
