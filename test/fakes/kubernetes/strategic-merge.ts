type JsonObject = Record<string, unknown>;

/**
 * Lists the API server merges by key, by field name, for pods and nodes (`patchMergeKey` of k8s.io/api). Every other list
 * is replaced whole: container statuses and taints among them.
 */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  addresses: 'type',
  conditions: 'type',
  containers: 'name',
  env: 'name',
  hostIPs: 'ip',
  initContainers: 'name',
  ownerReferences: 'uid',
  podIPs: 'ip',
  resourceClaimStatuses: 'name',
  volumes: 'name',
};

/** Lists of plain values the API server merges as sets. */
const MERGED_SETS: ReadonlySet<string> = new Set(['finalizers', 'podCIDRs']);

const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** What the API server makes of `patch` (`application/strategic-merge-patch+json`). Changes neither argument. */
export const strategicMerge = (current: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const { $patch: directive, ...fields } = patch;
  if (directive === 'delete') return undefined;
  const merged: JsonObject = directive === 'replace' || !isObject(current) ? {} : { ...current };
  for (const [key, value] of Object.entries(fields)) {
    const merge = mergeField(merged, key, value);
    if (merge === undefined) continue;
    if (merge.value === undefined) delete merged[merge.key];
    else merged[merge.key] = merge.value;
  }
  return merged;
};

interface FieldMerge {
  readonly key: string;
  readonly value: unknown;
}

const mergeField = (current: JsonObject, key: string, value: unknown): FieldMerge | undefined => {
  if (key.startsWith('$setElementOrder/')) return undefined;
  if (key.startsWith('$retainKeys')) return undefined;
  if (key.startsWith('$deleteFromPrimitiveList/')) {
    const list = key.slice('$deleteFromPrimitiveList/'.length);
    const gone = new Set(asList(value));
    return { key: list, value: asList(current[list]).filter((item) => !gone.has(item)) };
  }
  if (value === null) return { key, value: undefined };
  if (!Array.isArray(value)) return { key, value: strategicMerge(current[key], value) };
  const mergeKey = MERGE_KEYS[key];
  if (mergeKey !== undefined) return { key, value: mergeByKey(asList(current[key]), value, mergeKey) };
  if (MERGED_SETS.has(key)) return { key, value: [...new Set([...asList(current[key]), ...asList(value)])] };
  return { key, value };
};

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? [...(value as unknown[])] : []);

const mergeByKey = (current: readonly unknown[], patch: readonly unknown[], mergeKey: string): unknown[] => {
  const items = patch.filter(isObject);
  const replaces = items.some((item) => item['$patch'] === 'replace' && item[mergeKey] === undefined);
  const merged = replaces ? [] : [...current];
  for (const item of items) {
    if (item[mergeKey] === undefined) continue;
    const index = merged.findIndex((other) => isObject(other) && other[mergeKey] === item[mergeKey]);
    const value = strategicMerge(index < 0 ? undefined : merged[index], item);
    if (value === undefined) {
      if (index >= 0) merged.splice(index, 1);
    } else if (index < 0) merged.push(value);
    else merged[index] = value;
  }
  return merged;
};
