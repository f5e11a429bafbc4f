import { isObject, type JsonObject, listOf, sameJson, textOf } from '../model/object.ts';
import { type Shape, structOf } from '../schema/shapes.ts';

/** A strategic merge patch that cannot be applied. `code` is the HTTP status the real server answers with. */
export class StrategicMergeError extends Error {
  override readonly name = 'StrategicMergeError';
  readonly code: 422 | 500;

  constructor(code: 422 | 500, message: string) {
    super(message);
    this.code = code;
  }
}

const DELETE_FROM = '$deleteFromPrimitiveList/';
const ELEMENT_ORDER = '$setElementOrder/';

/**
 * Kubernetes' strategic merge: like a merge patch, but lists that the type calls merged are joined by their merge key,
 * with the directives `$patch`, `$deleteFromPrimitiveList`, `$setElementOrder` and `$retainKeys`. Merge keys come from
 * the OpenAPI schema, so the table is that of the real server.
 * @throws {StrategicMergeError}
 */
export const strategicMergePatch = (type: string, target: JsonObject, patch: JsonObject): JsonObject =>
  mergeFields((name) => structOf(type).fields.get(name), target, patch);

type ShapeOfField = (name: string) => Shape | undefined;

const fieldsOf = (shape: Shape | undefined): ShapeOfField => {
  if (shape?.kind === 'struct') return (name) => structOf(shape.struct).fields.get(name);
  if (shape?.kind === 'map') return () => shape.values;
  return () => undefined;
};

const mergeFields = (shapeOf: ShapeOfField, target: JsonObject, patch: JsonObject): JsonObject => {
  const directive = patch['$patch'];
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive === 'delete') return {};
  const retained = patch['$retainKeys'];
  const merged: Record<string, unknown> = Array.isArray(retained)
    ? Object.fromEntries(Object.entries(target).filter(([name]) => retained.includes(name)))
    : { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (name === '$patch' || name === '$retainKeys') continue;
    if (name.startsWith(DELETE_FROM)) {
      const list = name.slice(DELETE_FROM.length);
      merged[list] = listOf(merged[list]).filter((item) => !listOf(value).includes(item));
    } else if (value === null) {
      delete merged[name];
    } else if (!name.startsWith(ELEMENT_ORDER)) {
      merged[name] = mergeValue(shapeOf(name), merged[name], value);
    }
  }
  for (const [name, order] of Object.entries(patch)) {
    if (!name.startsWith(ELEMENT_ORDER)) continue;
    const list = name.slice(ELEMENT_ORDER.length);
    if (!Array.isArray(merged[list])) continue;
    checkOrder(shapeOf(list), listOf(order), listOf(patch[list]));
    merged[list] = inOrder(shapeOf(list), merged[list], listOf(order), listOf(target[list]));
  }
  return merged;
};

const mergeValue = (shape: Shape | undefined, current: unknown, value: unknown): unknown => {
  if (isObject(value)) {
    if (shape?.kind === 'list') throw new StrategicMergeError(422, 'cannot restore slice from map');
    return mergeFields(fieldsOf(shape), isObject(current) ? current : {}, value);
  }
  if (!Array.isArray(value)) {
    if (shape?.kind === 'list') throw new StrategicMergeError(422, `cannot restore slice from ${goKindOf(value)}`);
    if (shape?.kind === 'struct') throw new StrategicMergeError(422, `cannot restore struct from: ${goKindOf(value)}`);
    return value;
  }
  if (shape?.kind !== 'list' || !shape.isMerged)
    return value.filter((item) => !isObject(item) || !('$patch' in item)).map(stripped);
  const merged =
    shape.mergeKey === undefined
      ? mergeScalars(listOf(current), value)
      : mergeByKey(shape, shape.mergeKey, listOf(current), value);
  return inOrder(shape, merged, value, listOf(current));
};

const mergeScalars = (current: readonly unknown[], additions: readonly unknown[]): readonly unknown[] => [
  ...current,
  ...additions.filter((item) => !current.includes(item)),
];

const mergeByKey = (
  shape: Shape & { readonly kind: 'list' },
  key: string,
  current: readonly unknown[],
  patch: readonly unknown[],
): readonly unknown[] => {
  const items = patch.map((item) => {
    if (!isObject(item)) throw new StrategicMergeError(500, 'lists of mixed or scalar items cannot be merged by key');
    return item;
  });
  if (items.some((item) => item['$patch'] === 'replace')) {
    return items.filter((item) => item['$patch'] !== 'replace').map(withoutDirectives);
  }
  const keyOf = (item: JsonObject): unknown => {
    if (item[key] === undefined) {
      const fields = Object.entries(item).map(([name, value]) => `${name}:${String(value)}`);
      throw new StrategicMergeError(500, `map: map[${fields.join(' ')}] does not contain declared merge key: ${key}`);
    }
    return item[key];
  };
  let merged = [...current];
  for (const item of items) {
    const at = keyOf(item);
    if (item['$patch'] === 'delete') {
      merged = merged.filter((other) => !isObject(other) || !sameJson(other[key], at));
      continue;
    }
    const index = merged.findIndex((other) => isObject(other) && sameJson(other[key], at));
    const before = merged[index];
    const after = mergeFields(fieldsOf(shape.items), isObject(before) ? before : {}, item);
    if (index === -1) merged.push(after);
    else merged[index] = after;
  }
  return merged;
};

const identityIn = (shape: Shape | undefined): ((item: unknown) => string) => {
  const key = shape?.kind === 'list' ? shape.mergeKey : undefined;
  return (item) => JSON.stringify((key !== undefined && isObject(item) ? item[key] : item) ?? null);
};

/** The patched items must stand in `$setElementOrder`, in that order. */
const checkOrder = (shape: Shape | undefined, order: readonly unknown[], patched: readonly unknown[]): void => {
  const identify = identityIn(shape);
  const rest = order.map(identify);
  const kept = patched.filter((item) => !isObject(item) || item['$patch'] !== 'delete').map(identify);
  const isInOrder = kept.every((item) => {
    const place = rest.indexOf(item);
    rest.splice(0, place + 1);
    return place !== -1;
  });
  if (isInOrder) return;
  throw new StrategicMergeError(
    500,
    `The order in patch list:\n${JSON.stringify(patched)}\n doesn't match $setElementOrder list:\n${JSON.stringify(order)}\n`,
  );
};

/**
 * Orders a merged list as apimachinery's `normalizeElementOrder` does: items the patch names in the patch's order, the
 * others in the order they had, and each of those before the first patched item that followed it before.
 */
const inOrder = (
  shape: Shape | undefined,
  merged: readonly unknown[],
  order: readonly unknown[],
  before: readonly unknown[],
): readonly unknown[] => {
  const identify = identityIn(shape);
  const rank = new Map(order.map((item, index) => [identify(item), index]));
  const place = new Map(before.map((item, index) => [identify(item), index]));
  const rankOf = (item: unknown): number => rank.get(identify(item)) ?? 0;
  const named = merged.filter((item) => rank.has(identify(item))).sort((left, right) => rankOf(left) - rankOf(right));
  const others = merged.filter((item) => !rank.has(identify(item)));
  const sorted: unknown[] = [];
  while (named.length > 0 && others.length > 0) {
    const other = place.get(identify(others[0]));
    const patched = place.get(identify(named[0]));
    const isEarlier = other !== undefined && patched !== undefined && other < patched;
    sorted.push(isEarlier ? others.shift() : named.shift());
  }
  return [...sorted, ...named, ...others];
};

const withoutDirectives = (patch: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(patch)
      .filter(([name, value]) => !name.startsWith('$') && value !== null)
      .map(([name, value]) => [name, stripped(value)]),
  );

const stripped = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(stripped);
  return isObject(value) ? withoutDirectives(value) : value;
};

const goKindOf = (value: unknown): string => {
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : textOf(value) !== undefined ? 'string' : 'map';
};
