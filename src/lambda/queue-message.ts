import * as z from 'zod/mini';
import { faultsOf } from '../config/faults.ts';
import type { Beat, PodWake } from '../model/messages.ts';
import type { Problem } from '../model/problem.ts';

/** What a record of a queue turned out to be. */
export type ParsedMessage =
  | { readonly kind: 'wake'; readonly wake: PodWake }
  | { readonly kind: 'beat'; readonly beat: Beat }
  /** An EventBridge event, for the provider to read. */
  | { readonly kind: 'notification'; readonly notification: unknown }
  | { readonly kind: 'malformed'; readonly faults: readonly Problem[] };

const name = z.string().check(z.minLength(1, 'must not be empty'));

const wake = z.object({
  v: z.literal(1),
  kind: z.literal('wake'),
  reason: z.enum(['bind', 'create', 'delete', 'resync', 'timer', 'watch', 'requeue']),
  uid: name,
  namespace: name,
  name,
  node: z.exactOptional(name),
});

const beat = z.object({ v: z.literal(1), kind: z.literal('beat'), slot: z.int() });

const ours = z.discriminatedUnion('kind', [wake, beat]);

const event = z.looseObject({ source: name, 'detail-type': name, detail: z.looseObject({}) });

/** Reads the body of a record: a message of ours, or an EventBridge event. Total: what it cannot read is `malformed`. */
export const parseMessage = (body: string): ParsedMessage => {
  const json = parseJson(body);
  if (json === undefined) return { kind: 'malformed', faults: [{ field: 'body', message: 'must be JSON' }] };
  if (event.safeParse(json.value).success) return { kind: 'notification', notification: json.value };
  const parsed = ours.safeParse(json.value);
  if (!parsed.success) return { kind: 'malformed', faults: faultsOf(parsed.error.issues) };
  return parsed.data.kind === 'wake' ? { kind: 'wake', wake: parsed.data } : { kind: 'beat', beat: parsed.data };
};

const parseJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};
