/**
 * Milliseconds since the epoch as Kubernetes' MicroTime: exactly six fractional digits, which `Date.toISOString()` does
 * not print and the API server insists on (kubernetes/kubernetes#89156).
 */
export const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Milliseconds since the epoch as Kubernetes' Time: RFC 3339 in UTC, whole seconds. */
export const wholeSecondTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
