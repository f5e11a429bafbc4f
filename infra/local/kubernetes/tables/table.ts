import type { KubernetesObject } from '../model/object.ts';
import type { Column, Printer } from '../resources/definition.ts';
import { partialMetadata } from './partial-metadata.ts';

/** What of each object a Table row carries: `includeObject` of the request. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  readonly include: IncludeObject;
  readonly now: number;
  /** Later tables of a watch leave the columns out. */
  readonly hasColumns: boolean;
}

/** `meta.k8s.io/v1` Table of the objects. `printed` is what the printer reads, `shown` what the rows carry. */
export const toTable = (
  printer: Printer,
  rows: readonly { readonly printed: KubernetesObject; readonly shown: KubernetesObject }[],
  metadata: object,
  { include, now, hasColumns }: TableOptions,
): object => ({
  kind: 'Table',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
  columnDefinitions: hasColumns ? printer.columns.map(definition) : null,
  rows: rows.map(({ printed, shown }) => ({
    cells: printer.cells(printed, now),
    object: include === 'None' ? null : include === 'Object' ? shown : partialMetadata(shown),
  })),
});

const definition = ({ name, description, format, priority }: Column): object => ({
  name,
  type: 'string',
  format: format ?? '',
  description,
  priority: priority ?? 0,
});
