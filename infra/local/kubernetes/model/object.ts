import type { ObjectMeta } from '../../../../src/model/kubernetes.ts';

/** A JSON object whose fields nobody has looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * An object as the API serves it. `metadata` has its type because every stored object went through the schema
 * (schema/decode.ts); the other fields keep `unknown` until a kind's own code reads them.
 */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** Is it a JSON object (neither null nor an array)? */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `value` as a JSON object; an empty one for anything else. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** `value` as a list; an empty one for anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** `value` as a list of JSON objects, leaving out what is none. */
export const objectsOf = (value: unknown): readonly JsonObject[] => listOf(value).filter(isObject);

/** `value` where it is a text, else undefined. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** `value` where it is a number, else undefined. */
export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** What lies at a dotted path (`spec.nodeName`); undefined where a step is missing. */
export const fieldAt = (object: JsonObject, path: string): unknown =>
  path.split('.').reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), object);

/** Equal as JSON: the order of fields does not count; absent, undefined and null are the same. */
export const sameJson = (left: unknown, right: unknown): boolean => {
  if ((left ?? undefined) === (right ?? undefined)) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].every((key) => sameJson(left[key], right[key]));
};

/** `fields` without those that are undefined. */
export const withoutUndefined = <T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
