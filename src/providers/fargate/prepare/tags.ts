import type { Tag } from '@aws-sdk/client-ecs';
import type { Pod } from '../../../model/kubernetes.ts';

const MAX_TAGS = 50;
const MAX_KEY_LENGTH = 128;
const MAX_VALUE_LENGTH = 256;

/** kubectl keeps whole manifests here, values of variables included. */
const KEPT_OUT = new Set(['kubectl.kubernetes.io/last-applied-configuration']);

/**
 * Tags for people and bills: the pod's names, then its labels, then its annotations, as many as ECS takes. Nothing is
 * ever read back from them, since ECS removes tags when a task stops.
 */
export const tagsOf = (pod: Pod, node: string): Tag[] => {
  const { metadata } = pod;
  const wanted: (readonly [string, string])[] = [
    ['svk.dev/namespace', metadata?.namespace ?? ''],
    ['svk.dev/pod', metadata?.name ?? ''],
    ['svk.dev/uid', metadata?.uid ?? ''],
    ['svk.dev/node', node],
    ...sorted(metadata?.labels),
    ...sorted(metadata?.annotations).filter(([key]) => !KEPT_OUT.has(key)),
  ];
  const tags = new Map<string, string>();
  for (const [key, value] of wanted) {
    const name = clean(key).slice(0, MAX_KEY_LENGTH);
    if (tags.size < MAX_TAGS && !tags.has(name) && !/^aws:/i.test(name))
      tags.set(name, clean(value).slice(0, MAX_VALUE_LENGTH));
  }
  return [...tags].map(([key, value]) => ({ key, value }));
};

const sorted = (map: Readonly<Record<string, string>> = {}): (readonly [string, string])[] =>
  Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));

/** ECS takes letters, digits, spaces and `+ - = . _ : / @`. */
const clean = (text: string): string => text.replaceAll(/[^A-Za-z0-9 +\-=._:/@]/g, '_');
