import { isObject, type JsonObject, listOf, sameJson } from '../model/object.ts';
import { type Shape, structOf } from '../schema/shapes.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';

/**
 * Server-side apply in a simple form: what this manager applied before and no longer mentions is removed, then the
 * configuration is merged in. Who else owns a field is not tracked, so there are no conflicts: the last one wins.
 */
export const applyConfiguration = (
  type: string,
  current: JsonObject,
  previous: JsonObject | undefined,
  next: JsonObject,
): JsonObject => {
  const cleaned = previous
    ? strategicMergePatch(
        type,
        current,
        removals((name) => structOf(type).fields.get(name), previous, next),
      )
    : current;
  return strategicMergePatch(type, cleaned, next);
};

/** A strategic merge patch that takes away what `previous` has and `next` has not. */
const removals = (shapeOf: (name: string) => Shape | undefined, previous: JsonObject, next: JsonObject): JsonObject => {
  const patch: Record<string, unknown> = {};
  for (const [name, before] of Object.entries(previous)) {
    const after = next[name];
    const shape = shapeOf(name);
    if (shape?.kind === 'list' && shape.isMerged && Array.isArray(before)) {
      Object.assign(patch, listRemovals(name, shape, before, listOf(after)));
    } else if (after === undefined) {
      if (name !== 'apiVersion' && name !== 'kind' && name !== 'metadata') patch[name] = null;
    } else if (isObject(before) && isObject(after)) {
      patch[name] = removals(inner(shape), before, after);
    }
  }
  return patch;
};

const inner = (shape: Shape | undefined): ((name: string) => Shape | undefined) => {
  if (shape?.kind === 'struct') return (name) => structOf(shape.struct).fields.get(name);
  return () => (shape?.kind === 'map' ? shape.values : undefined);
};

const listRemovals = (
  name: string,
  shape: Shape & { readonly kind: 'list' },
  before: readonly unknown[],
  after: readonly unknown[],
): JsonObject => {
  const key = shape.mergeKey;
  if (key === undefined) {
    const gone = before.filter((item) => !after.includes(item));
    return gone.length > 0 ? { [`$deleteFromPrimitiveList/${name}`]: gone } : {};
  }
  const items = before.filter(isObject).map((item) => {
    const kept = after.filter(isObject).find((other) => sameJson(other[key], item[key]));
    return kept
      ? { ...removals(inner(shape.items), item, kept), [key]: item[key] }
      : { $patch: 'delete', [key]: item[key] };
  });
  return items.length > 0 ? { [name]: items } : {};
};
