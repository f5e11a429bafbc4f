/**
 * The value as it would come back from a server: a copy, without what is not JSON, and frozen, so that nobody changes what
 * others hold. What is frozen is such a copy already and shared instead of copied again, which keeps large worlds cheap.
 */
export const frozenJson = <T>(value: T): T => copy(value) as T;

const copy = (value: unknown): unknown => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'object':
      return value === null || Object.isFrozen(value) ? value : copyObject(value);
    default:
      return undefined;
  }
};

const copyObject = (value: object): unknown => {
  if (Array.isArray(value)) return Object.freeze(value.map((item) => copy(item) ?? null));
  if (value instanceof Date) return value.toJSON();
  const copied: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = copy((value as Record<string, unknown>)[key]);
    if (member !== undefined) copied[key] = member;
  }
  return Object.freeze(copied);
};
