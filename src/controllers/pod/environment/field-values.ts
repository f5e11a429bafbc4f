import type { VariableOrigin } from '../../../model/environment.ts';
import type { Pod } from '../../../model/kubernetes.ts';

/**
 * - `value`: known before anything runs.
 * - `late`: known only once the workload runs (addresses).
 * - `unknown`: no field kubelet would resolve in an environment.
 */
export type FieldValue =
  | { readonly kind: 'value'; readonly value: string; readonly origin: VariableOrigin }
  | { readonly kind: 'late' }
  | { readonly kind: 'unknown' };

const LATE_FIELDS = new Set(['status.podIP', 'status.podIPs', 'status.hostIP', 'status.hostIPs']);

const SUBSCRIPT = /^metadata\.(labels|annotations)\['(.*)'\]$/;

/**
 * A `fieldRef` of the environment (`pkg/fieldpath`). What replicas of one template share has origin `template`; what
 * tells them apart has origin `identity`. A label or annotation that is not there is the empty string.
 */
export const fieldValue = (pod: Pod, node: string, fieldPath: string): FieldValue => {
  if (LATE_FIELDS.has(fieldPath)) return { kind: 'late' };
  const { metadata, spec } = pod;
  const [, map, key] = SUBSCRIPT.exec(fieldPath) ?? [];
  if (key !== undefined) return identity((map === 'labels' ? metadata?.labels : metadata?.annotations)?.[key]);

  switch (fieldPath) {
    case 'metadata.name':
      return identity(metadata?.name);
    case 'metadata.uid':
      return identity(metadata?.uid);
    case 'metadata.labels':
      return identity(formatMap(metadata?.labels ?? {}));
    case 'metadata.annotations':
      return identity(formatMap(metadata?.annotations ?? {}));
    case 'spec.nodeName':
    case 'spec.host':
      return identity(node);
    case 'metadata.namespace':
      return { kind: 'value', value: metadata?.namespace ?? '', origin: 'template' };
    case 'spec.serviceAccountName':
      return { kind: 'value', value: spec?.serviceAccountName ?? '', origin: 'template' };
    default:
      return { kind: 'unknown' };
  }
};

const identity = (value: string | undefined): FieldValue => ({ kind: 'value', value: value ?? '', origin: 'identity' });

/** `key="value"` lines sorted by key, values quoted as Go's `%q` does. */
const formatMap = (map: Readonly<Record<string, string>>): string =>
  Object.keys(map)
    .sort()
    .map((key) => `${key}=${quoted(map[key] ?? '')}`)
    .join('\n');

const GO_ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

const quoted = (text: string): string =>
  `"${text.replaceAll(/["\\\p{Cc}]/gu, (char) => GO_ESCAPES[char] ?? hexEscape(char.charCodeAt(0)))}"`;

const hexEscape = (code: number): string =>
  code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
