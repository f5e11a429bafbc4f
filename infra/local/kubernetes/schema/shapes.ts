import { readFileSync } from 'node:fs';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../model/object.ts';

/** What a field holds, cut down to what decoding, patching and storing need. */
export type Shape =
  | { readonly kind: 'string' | 'boolean' | 'number' | 'bytes' | 'time' | 'microTime' | 'quantity' | 'intOrString' | 'any' }
  | { readonly kind: 'integer'; readonly bits: 32 | 64 }
  | { readonly kind: 'map'; readonly values: Shape }
  | { readonly kind: 'list'; readonly items: Shape; readonly mergeKey: string | undefined; readonly isMerged: boolean }
  | { readonly kind: 'struct'; readonly struct: string; readonly retainsKeys: boolean };

/** A named type: its fields, and the name Go's errors call it by. */
export interface Struct {
  readonly goName: string;
  readonly fields: ReadonlyMap<string, Shape>;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const SCALARS: Readonly<Record<string, Shape>> = {
  [`${META}Time`]: { kind: 'time' },
  [`${META}MicroTime`]: { kind: 'microTime' },
  [`${META}FieldsV1`]: { kind: 'any' },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { kind: 'quantity' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { kind: 'intOrString' },
};

const readTypes = (): ReadonlyMap<string, JsonObject> => {
  const lines = readFileSync(new URL('types.jsonl', import.meta.url), 'utf8').trim().split('\n');
  return new Map(
    lines.map((line) => {
      const entry = objectOf(JSON.parse(line));
      return [textOf(entry['name']) ?? '', objectOf(entry['schema'])];
    }),
  );
};

/** The OpenAPI v3 schemas of all types served, without descriptions, by full name. */
export const openApiTypes: ReadonlyMap<string, JsonObject> = readTypes();

const structs = new Map<string, Struct>();

/** The type of that full name (`io.k8s.api.core.v1.Pod`). @throws {Error} where there is none. */
export const structOf = (name: string): Struct => {
  const known = structs.get(name);
  if (known) return known;
  const schema = openApiTypes.get(name);
  if (!schema) throw new Error(`types.jsonl has no type ${name}`);
  const properties = Object.entries(objectOf(schema['properties']));
  const struct = {
    goName: name.slice(name.lastIndexOf('.') + 1),
    fields: new Map(properties.map(([field, property]) => [field, toShape(objectOf(property))])),
  };
  structs.set(name, struct);
  return struct;
};

const toShape = (property: JsonObject): Shape => {
  const reference = referenceIn(property);
  if (reference) {
    const retainsKeys = (textOf(property['x-kubernetes-patch-strategy']) ?? '').includes('retainKeys');
    return SCALARS[reference] ?? { kind: 'struct', struct: reference, retainsKeys };
  }
  switch (property['type']) {
    case 'string':
      return { kind: property['format'] === 'byte' ? 'bytes' : 'string' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'integer':
      return { kind: 'integer', bits: property['format'] === 'int64' ? 64 : 32 };
    case 'number':
      return { kind: 'number' };
    case 'array': {
      const isMerged = (textOf(property['x-kubernetes-patch-strategy']) ?? '').split(',').includes('merge');
      const mergeKey = isMerged ? textOf(property['x-kubernetes-patch-merge-key']) : undefined;
      return { kind: 'list', items: toShape(objectOf(property['items'])), mergeKey, isMerged };
    }
    case 'object':
      return isObject(property['additionalProperties'])
        ? { kind: 'map', values: toShape(property['additionalProperties']) }
        : { kind: 'any' };
    default:
      return { kind: 'any' };
  }
};

const referenceIn = (property: JsonObject): string | undefined => {
  const reference = textOf(property['$ref']) ?? textOf(objectOf(listOf(property['allOf'])[0])['$ref']);
  return reference?.slice(reference.lastIndexOf('/') + 1);
};
