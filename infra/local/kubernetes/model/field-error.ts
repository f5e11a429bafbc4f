import { withoutUndefined } from './object.ts';

/** One fault of one field, as `metav1.StatusCause` has it. */
export interface FieldError {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

const quote = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(value ?? null);

/** The field is needed and absent. The wording of these five is apimachinery's `field` package. */
export const required = (field: string, detail = ''): FieldError => ({
  reason: 'FieldValueRequired',
  message: `Required value${detail && `: ${detail}`}`,
  field,
});

export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${quote(value)}: ${detail}`,
  field,
});

export const duplicate = (field: string, value: unknown, detail = ''): FieldError => ({
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${quote(value)}${detail && `: ${detail}`}`,
  field,
});

export const forbidden = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
  field,
});

export const missing = (field: string, value: unknown): FieldError => ({
  reason: 'FieldValueNotFound',
  message: `Not found: ${quote(value)}`,
  field,
});

export const unsupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${quote(value)}: supported values: ${supported.map((item) => `"${item}"`).join(', ')}`,
  field,
});

/** The one value or the list of all, as apimachinery's aggregate prints them. */
export const describeErrors = (errors: readonly FieldError[]): string => {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
};

/** Details of a 422 answer. */
export const invalidDetails = (name: string, group: string, kind: string, causes: readonly FieldError[]): object =>
  withoutUndefined({ name: name || undefined, group: group || undefined, kind: kind || undefined, causes });
