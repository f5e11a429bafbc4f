import { readFileSync } from 'node:fs';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../model/object.ts';

/** What a field holds, cut down to what decoding, patching and storing need. */
export type Shape =
  | {
      readonly kind:
        | 'string'
        | 'boolean'
        | 'number'
        | 'bytes'
        | 'time'
        | 'microTime'
        | 'quantity'
        | 'intOrString'
        | 'any';
    }
  | { readonly kind: 'integer'; readonly bits: 32 | 64 }
  | { readonly kind: 'map'; readonly values: Shape }
  | { readonly kind: 'list'; readonly items: Shape; readonly mergeKey: string | undefined; readonly isMerged: boolean }
  | { readonly kind: 'struct'; readonly struct: string; readonly retainsKeys: boolean };

/** A named type: its fields, and the name Go's errors call it by. */
export interface Struct {
  readonly goName: string;
  readonly fields: ReadonlyMap<string, Shape>;
  /** Scalar fields Go leaves out where they are zero (`omitempty` without a pointer). */
  readonly omitsZero: ReadonlySet<string>;
  /** Fields Go writes even where nobody set them: structs, times, and whatever lacks `omitempty`. */
  readonly always: readonly string[];
  /** Fields by their protobuf number. */
  readonly wire: WireFields;
}

/** A field's name, or the fields of a message that JSON has inlined (a volume's source, a probe's handler). */
export type WireFields = ReadonlyMap<number, string | WireFields>;

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const SCALARS: Readonly<Record<string, Shape>> = {
  [`${META}Time`]: { kind: 'time' },
  [`${META}MicroTime`]: { kind: 'microTime' },
  [`${META}FieldsV1`]: { kind: 'any' },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { kind: 'quantity' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { kind: 'intOrString' },
};

const entries: ReadonlyMap<string, JsonObject> = new Map(
  readFileSync(new URL('types.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const entry = objectOf(JSON.parse(line));
      return [textOf(entry['name']) ?? '', entry];
    }),
);

/** The OpenAPI v3 schemas of all types served, without descriptions, by full name. */
export const openApiTypes = (): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries([...entries].map(([name, entry]) => [name, objectOf(entry['schema'])]));

const structs = new Map<string, Struct>();

/** The type of that full name (`io.k8s.api.core.v1.Pod`). @throws {Error} where there is none. */
export const structOf = (name: string): Struct => {
  const known = structs.get(name);
  if (known) return known;
  const entry = entries.get(name);
  if (!entry) throw new Error(`types.jsonl has no type ${name}`);
  const properties = Object.entries(objectOf(objectOf(entry['schema'])['properties']));
  const struct = {
    goName: name.slice(name.lastIndexOf('.') + 1),
    fields: new Map(properties.map(([field, property]) => [field, toShape(objectOf(property))])),
    omitsZero: new Set(listOf(entry['omitsZero']).map(String)),
    always: listOf(entry['always']).map(String),
    wire: toWire(objectOf(entry['wire'])),
  };
  structs.set(name, struct);
  return struct;
};

const toWire = (paths: JsonObject): WireFields => {
  const root = new Map<number, string | Map<number, string>>();
  for (const [field, path] of Object.entries(paths)) {
    const [outer, inner] = listOf(path).map(Number);
    if (outer === undefined) continue;
    if (inner === undefined) {
      root.set(outer, field);
      continue;
    }
    const known = root.get(outer);
    const inlined = known instanceof Map ? known : new Map<number, string>();
    root.set(outer, inlined.set(inner, field));
  }
  return root;
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
