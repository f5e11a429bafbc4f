import * as z from 'zod/mini';
import { TransientError } from '../../core/errors.ts';

const isObject = (value: unknown): boolean => value !== null && typeof value === 'object' && !Array.isArray(value);

const list = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z._default(z.string(), ''), continue: z.optional(z.string()) }),
  items: z.nullable(z.array(z.unknown())),
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
  const parsed = z.custom<T>(isObject).safeParse(json);
  if (!parsed.success) throw new TransientError(`${call}: the answer is not an object`);
  return parsed.data;
};

/** A page of a list, its items as {@link parseObject} reads them. @throws {TransientError} where it is none. */
export const parseList = <T>(json: unknown, call: string): Page<T> => {
  const parsed = list.safeParse(json);
  if (!parsed.success) throw new TransientError(`${call}: the answer is not a list`);
  const { metadata, items } = parsed.data;
  return { metadata, items: (items ?? []).map((item) => parseObject<T>(item, call)) };
};

export interface Page<T> {
  readonly items: readonly T[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string | undefined };
}
