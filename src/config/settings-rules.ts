import type { Problem } from '../model/problem.ts';
import { fieldOf } from './faults.ts';

/** Nodes of one name: two heartbeats would fight for it. Looks at unparsed settings, so that every fault is told at once. */
export const duplicateNodes = (settings: unknown): readonly Problem[] => {
  const nodes = memberOf(settings, 'nodes');
  if (!Array.isArray(nodes)) return [];
  const names = nodes.map((node) => memberOf(node, 'name'));
  return names.flatMap((name, index) =>
    typeof name === 'string' && names.indexOf(name) < index
      ? [
          {
            field: `nodes[${index}].name`,
            message: `"${name}" is also the name of nodes[${names.indexOf(name)}]: rename one`,
          },
        ]
      : [],
  );
};

/** Variables of the Serverless Framework that nobody has filled in. */
export const unfilledVariables = (settings: unknown, path: readonly PropertyKey[] = []): readonly Problem[] => {
  if (typeof settings === 'string') {
    const variable = /\$\{[^}]*\}?/.exec(settings)?.[0];
    return variable === undefined
      ? []
      : [
          {
            field: fieldOf(path),
            message: `holds ${variable}, which only the serverless command fills in: write the value`,
          },
        ];
  }
  if (Array.isArray(settings)) return settings.flatMap((item, index) => unfilledVariables(item, [...path, index]));
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]) => unfilledVariables(value, [...path, key]));
};

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined;
