import { fieldAt, type JsonObject, textOf } from '../model/object.ts';
import { SelectorError } from './labels.ts';

export type FieldSelector = (object: JsonObject) => boolean;

/** Which fields of a kind may be selected by, and the value each has. */
export interface SelectableFields {
  readonly fields: Readonly<Record<string, (object: JsonObject) => string>>;
  /** Wording of the refusal: kinds with a conversion of their own name only the label. */
  readonly refusal: (field: string) => string;
}

const BASIC: SelectableFields['fields'] = {
  'metadata.name': (object) => text(object, 'metadata.name'),
  'metadata.namespace': (object) => text(object, 'metadata.namespace'),
};

const text = (object: JsonObject, path: string): string => {
  const value = fieldAt(object, path);
  return textOf(value) ?? (typeof value === 'boolean' || typeof value === 'number' ? String(value) : '');
};

/** Name and namespace only. */
export const basicFields: SelectableFields = {
  fields: BASIC,
  refusal: (field) => `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
};

/** Name, namespace and the fields at `paths`; `others` are selected under a name that is not their path. */
export const selectableFields = (
  paths: readonly string[],
  others: SelectableFields['fields'] = {},
): SelectableFields => ({
  fields: {
    ...BASIC,
    ...Object.fromEntries(paths.map((path) => [path, (object: JsonObject) => text(object, path)])),
    ...others,
  },
  refusal: (field) => `field label not supported: ${field}`,
});

/** Reads `a=b,c!=d,e==f`. @throws {SelectorError} */
export const parseFieldSelector = (selector: string, selectable: SelectableFields): FieldSelector => {
  const terms = selector
    .split(/(?<!\\),/)
    .filter((term) => term !== '')
    .map((term) => parseTerm(selector, term, selectable));
  return (object) => terms.every((matches) => matches(object));
};

const parseTerm = (selector: string, term: string, { fields, refusal }: SelectableFields): FieldSelector => {
  const match = /^(.*?)(!=|==|=)(.*)$/.exec(term);
  if (!match) throw new SelectorError(`invalid selector: '${selector}'; can't understand '${term}'`);
  const [, field = '', operator, escaped = ''] = match;
  const read = fields[field];
  if (!read) throw new SelectorError(refusal(field));
  const value = escaped.replace(/\\([\\,=])/g, '$1');
  return operator === '!=' ? (object) => read(object) !== value : (object) => read(object) === value;
};
