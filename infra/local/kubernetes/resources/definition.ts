import type { FieldError } from '../model/field-error.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { SelectableFields } from '../select/fields.ts';
import type { NameFaults } from '../values/names.ts';

/** One column of a Table; priority 1 shows with `-o wide` only. */
export interface Column {
  readonly name: string;
  readonly description: string;
  readonly format?: 'name';
  readonly priority?: 1;
}

/** How a kind is printed: its columns and the cells of one object at a time `now` (milliseconds). */
export interface Printer {
  readonly columns: readonly Column[];
  readonly cells: (object: KubernetesObject, now: number) => readonly (string | number)[];
}

/** What a write goes through beside what all kinds share. Functions return new objects, never change their input. */
export interface Strategy {
  /** Fields clients may not set are put right, defaults are filled in. */
  readonly prepareCreate: (object: KubernetesObject) => KubernetesObject;
  /** The same for a write of the main resource (status stays what it was) or of the status sub-resource. */
  readonly prepareUpdate: (next: KubernetesObject, current: KubernetesObject) => KubernetesObject;
  readonly validate: (object: KubernetesObject) => readonly FieldError[];
  readonly validateUpdate: (next: KubernetesObject, current: KubernetesObject) => readonly FieldError[];
  /** The rules for a write of the status sub-resource. */
  readonly validateStatus?: (next: KubernetesObject, current: KubernetesObject) => readonly FieldError[];
  /** Count `metadata.generation` up where this is true of a write. Kinds without it have no generation. */
  readonly startsGeneration?: (next: KubernetesObject, current: KubernetesObject) => boolean;
}

/** One resource of the API: everything the general code must know about it. */
export interface ResourceDefinition {
  readonly group: string;
  readonly version: string;
  /** The plural in paths. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly hasStatus: boolean;
  /** Full name of the type in the schema. */
  readonly type: string;
  readonly nameFaults: (name: string) => NameFaults;
  readonly strategy: Strategy;
  readonly fields: SelectableFields;
  readonly printer: Printer;
  /** PUT to a name that is not there makes it (leases and events, where the real server allows it). */
  readonly createsOnUpdate: boolean;
  /** PUT without a resourceVersion overwrites whatever is there. */
  readonly allowsUnconditionalUpdate: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  readonly deletesCollection: boolean;
  /** How the stored form (another version's) becomes this one's and back. */
  readonly conversion?: {
    readonly fromStored: (object: KubernetesObject) => KubernetesObject;
    readonly toStored: (object: KubernetesObject) => KubernetesObject;
  };
}

/** `group/version` as `apiVersion` has it. */
export const apiVersionOf = ({ group, version }: Pick<ResourceDefinition, 'group' | 'version'>): string =>
  group ? `${group}/${version}` : version;

/** Keeps what a status write may not change: everything but metadata and status. */
export const onlyStatusChanges = (next: KubernetesObject, current: KubernetesObject): KubernetesObject =>
  withStatusOf(next, { ...current, metadata: { ...next.metadata, ...ownersOf(current) } });

/** Keeps the stored status in a write of the main resource. */
export const keepStatus = (next: KubernetesObject, current: KubernetesObject): KubernetesObject =>
  withStatusOf(current, next);

const withStatusOf = (source: KubernetesObject, target: KubernetesObject): KubernetesObject => {
  const { status: _replaced, ...rest } = target;
  return source['status'] === undefined ? rest : { ...rest, status: source['status'] };
};

const ownersOf = ({ metadata }: KubernetesObject): Pick<KubernetesObject['metadata'], 'ownerReferences'> =>
  metadata.ownerReferences ? { ownerReferences: metadata.ownerReferences } : {};

/** Nothing to prepare, nothing to check. */
export const plainStrategy: Strategy = {
  prepareCreate: (object) => object,
  prepareUpdate: (next) => next,
  validate: () => [],
  validateUpdate: () => [],
};

/** What most kinds of the core group have in common. */
export const coreDefaults = {
  group: '',
  version: 'v1',
  isNamespaced: true,
  shortNames: [],
  categories: [],
  hasStatus: false,
  createsOnUpdate: false,
  allowsUnconditionalUpdate: true,
  returnsDeleted: false,
  deletesCollection: true,
} as const;
