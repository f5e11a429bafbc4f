import { isObject, type JsonObject } from '../model/object.ts';
import { formatQuantity, parseQuantity } from '../values/quantity.ts';
import { parseMicroTime, parseTime } from '../values/time.ts';
import { type Shape, structOf } from './shapes.ts';

/** A body that does not fit its type. The message is what the real server's decoder says. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

export interface Decoded {
  /** A copy of the body as Go would write it: without unknown fields, zeros and empty lists, with empty structs. */
  readonly value: JsonObject;
  /** Paths of fields the type does not have (`spec.containers[0].foo`). */
  readonly unknownFields: readonly string[];
}

interface Context {
  readonly unknownFields: string[];
  readonly isPartial: boolean;
}

/** Where we are: the struct Go names in its errors, the path without and with indices. */
interface Place {
  readonly struct: string;
  readonly goPath: string;
  readonly path: string;
}

/**
 * Checks `body` against the type of that full name and copies it, normalising times and quantities as the server
 * stores them. A partial body (an applied configuration) says only what it says: nothing is added or left out.
 * @throws {DecodeError} at the first field whose value cannot be read.
 */
export const decodeAs = (type: string, body: JsonObject, isPartial = false): Decoded => {
  const context: Context = { isPartial, unknownFields: [] };
  const value = decodeStruct(type, body, { struct: structOf(type).goName, goPath: '', path: '' }, context);
  return { value, unknownFields: context.unknownFields };
};

const decodeStruct = (type: string, body: JsonObject, place: Place, context: Context): JsonObject => {
  const { fields, goName, omitsZero, always } = structOf(type);
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const path = place.path ? `${place.path}.${name}` : name;
    const shape = fields.get(name);
    if (!shape) {
      context.unknownFields.push(path);
      continue;
    }
    if (value === null || value === undefined) continue;
    const goPath = place.goPath ? `${place.goPath}.${name}` : name;
    const decoded = decode(shape, value, { struct: goName, goPath, path }, context);
    const isOmitted = omitsZero.has(name) && (decoded === '' || decoded === 0 || decoded === false);
    if (context.isPartial || (!isOmitted && !isEmpty(shape, decoded))) copy[name] = decoded;
  }
  for (const name of context.isPartial ? [] : always) {
    const shape = fields.get(name);
    if (shape && copy[name] === undefined) copy[name] = emptyOf(shape);
  }
  return copy;
};

/** What Go writes for a field nobody set. */
const emptyOf = (shape: Shape): unknown => {
  switch (shape.kind) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    case 'struct':
      return decodeStruct(shape.struct, {}, NOWHERE, { isPartial: false, unknownFields: [] });
    default:
      return null;
  }
};

const NOWHERE: Place = { struct: '', goPath: '', path: '' };

/** Go omits empty lists and maps; empty structs stay. */
const isEmpty = (shape: Shape, value: unknown): boolean =>
  (shape.kind === 'list' && Array.isArray(value) && value.length === 0) ||
  (shape.kind === 'map' && isObject(value) && Object.keys(value).length === 0);

const decode = (shape: Shape, value: unknown, place: Place, context: Context): unknown => {
  switch (shape.kind) {
    case 'string':
      return typeof value === 'string' ? value : mismatch(value, shape, place);
    case 'boolean':
      return typeof value === 'boolean' ? value : mismatch(value, shape, place);
    case 'number':
      return typeof value === 'number' ? value : mismatch(value, shape, place);
    case 'integer':
      return Number.isInteger(value) ? value : mismatch(value, shape, place);
    case 'bytes':
      return typeof value === 'string' ? checkBase64(value) : mismatch(value, shape, place);
    case 'time':
    case 'microTime': {
      if (typeof value !== 'string') return mismatch(value, shape, place);
      const parsed = shape.kind === 'time' ? parseTime(value) : parseMicroTime(value);
      if (!parsed.ok) throw new DecodeError(parsed.message);
      return parsed.text;
    }
    case 'quantity':
      return decodeQuantity(value, place);
    case 'intOrString':
      return typeof value === 'string' || Number.isInteger(value)
        ? value
        : mismatch(value, { kind: 'integer', bits: 32 }, place);
    case 'list':
      if (!Array.isArray(value)) return mismatch(value, shape, place);
      return value.map((item, index) =>
        decode(shape.items, item ?? zeroOf(shape.items), { ...place, path: `${place.path}[${index}]` }, context),
      );
    case 'map':
      if (!isObject(value)) return mismatch(value, shape, place);
      return Object.fromEntries(
        Object.entries(value).map(([key, entry]) => [
          key,
          decode(shape.values, entry ?? zeroOf(shape.values), { ...place, path: `${place.path}.${key}` }, context),
        ]),
      );
    case 'struct':
      return isObject(value) ? decodeStruct(shape.struct, value, place, context) : mismatch(value, shape, place);
    case 'any':
      return value;
    default:
      return shape satisfies never;
  }
};

const zeroOf = (shape: Shape): unknown => (shape.kind === 'struct' || shape.kind === 'map' ? {} : '');

const decodeQuantity = (value: unknown, place: Place): unknown => {
  if (typeof value !== 'string' && typeof value !== 'number') return mismatch(value, { kind: 'string' }, place);
  const quantity = parseQuantity(String(value));
  if (!quantity) {
    throw new DecodeError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  return formatQuantity(quantity);
};

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const checkBase64 = (text: string): string => {
  const compact = text.replace(/[\r\n]/g, '');
  if (BASE64.test(compact)) return compact;
  const firstBad = compact.search(/[^A-Za-z0-9+/]/);
  throw new DecodeError(`illegal base64 data at input byte ${firstBad === -1 ? compact.length : firstBad}`);
};

const mismatch = (value: unknown, shape: Shape, { struct, goPath }: Place): never => {
  const found = typeof value === 'number' && shape.kind === 'integer' ? `number ${value}` : jsonTypeOf(value);
  throw new DecodeError(
    `json: cannot unmarshal ${found} into Go struct field ${struct}.${goPath} of type ${goTypeOf(shape)}`,
  );
};

const jsonTypeOf = (value: unknown): string => {
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'array' : typeof value;
};

const goTypeOf = (shape: Shape): string => {
  switch (shape.kind) {
    case 'boolean':
      return 'bool';
    case 'integer':
      return `int${shape.bits}`;
    case 'number':
      return 'float64';
    case 'bytes':
      return '[]uint8';
    case 'list':
      return `[]${goTypeOf(shape.items)}`;
    case 'map':
      return `map[string]${goTypeOf(shape.values)}`;
    case 'struct':
      return `v1.${structOf(shape.struct).goName}`;
    case 'time':
      return 'v1.Time';
    case 'microTime':
      return 'v1.MicroTime';
    default:
      return 'string';
  }
};
