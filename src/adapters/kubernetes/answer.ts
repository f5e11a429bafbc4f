import * as z from 'zod/mini';
import { TransientError } from '../../core/errors.ts';

const object = z.record(z.string(), z.unknown());
const list = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z._default(z.string(), ''), continue: z.optional(z.string()) }),
  items: z.nullable(z.array(object)),
});

/** @throws {TransientError} that does not quote the text: it may hold a Secret or a token. */
export const parseJson = (text: string, call: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new TransientError(`${call}: the answer is not JSON; is this a Kubernetes API server?`);
  }
};

/**
 * One object. Its fields are what the server's own schema for the path says, so it is checked no further than that it is
 * an object. @throws {TransientError} where it is not.
 */
export const parseObject = <T>(json: unknown, call: string): T => {
  const parsed = object.safeParse(json);
  if (!parsed.success) throw new TransientError(`${call}: the answer is not an object`);
  return parsed.data as T;
};

/** A list of objects, as {@link parseObject}. */
export const parseList = <T>(
  json: unknown,
  call: string,
): {
  readonly items: readonly T[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string | undefined };
} => {
  const parsed = list.safeParse(json);
  if (!parsed.success) throw new TransientError(`${call}: the answer is not a list`);
  return { metadata: parsed.data.metadata, items: (parsed.data.items ?? []) as T[] };
};
