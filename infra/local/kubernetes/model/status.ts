import { describeErrors, type FieldError, invalidDetails } from './field-error.ts';
import { withoutUndefined } from './object.ts';

/** What an error names: the plural resource (sometimes the kind) and its group. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
}

/** `metav1.Status` as it goes over the wire. */
export interface StatusBody {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: object;
  readonly status: 'Success' | 'Failure';
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: object | undefined;
  readonly code?: number | undefined;
}

/** An answer other than 2xx. Thrown anywhere in a request, answered as a `Status`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string | undefined;
  readonly details: object | undefined;

  constructor(code: number, reason: string | undefined, message: string, details?: object) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  get status(): StatusBody {
    return withoutUndefined({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      details: this.details,
      code: this.code,
    } as const);
  }
}

/** A `Status` that says all went well. */
export const success = (fields: { readonly details?: object; readonly code?: number }): StatusBody => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  ...fields,
});

const qualified = ({ group, resource }: ResourceName): string => (group ? `${resource}.${group}` : resource);

const naming = ({ group, resource }: ResourceName, name: string, more: object = {}): object =>
  withoutUndefined({ name: name || undefined, group: group || undefined, kind: resource, ...more });

export const notFound = (resource: ResourceName, name: string): ApiError =>
  new ApiError(404, 'NotFound', `${qualified(resource)} "${name}" not found`, naming(resource, name));

/** The path names nothing this API has. */
export const noSuchResource = (): ApiError =>
  new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});

export const alreadyExists = (resource: ResourceName, name: string): ApiError =>
  new ApiError(409, 'AlreadyExists', `${qualified(resource)} "${name}" already exists`, naming(resource, name));

export const conflict = (resource: ResourceName, name: string, why: string): ApiError =>
  new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
    naming(resource, name),
  );

/** The object of that name is another one than the caller means. */
export const otherUid = (
  resource: ResourceName,
  {
    namespace,
    name,
    asked,
    actual,
  }: { readonly namespace: string | undefined; readonly name: string; readonly asked: string; readonly actual: string },
): ApiError => {
  const key = ['', 'registry', resource.resource, namespace, name].filter((part) => part !== undefined).join('/');
  const why = `Precondition failed: UID in precondition: ${asked}, UID in object meta: ${actual}`;
  return conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  );
};

/** Somebody else wrote first: the resourceVersion sent is not the one stored. */
export const modified = (resource: ResourceName, name: string): ApiError =>
  conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message);

/** An error without a reason, as the real server answers where its code returns a bare Go error. */
export const internal = (message: string): ApiError => new ApiError(500, undefined, message);

export const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized');

export const forbiddenTo = (resource: ResourceName, name: string, why: string, more: object = {}): ApiError =>
  new ApiError(
    403,
    'Forbidden',
    `${qualified(resource)}${name && ` "${name}"`} is forbidden: ${why}`,
    naming(resource, name, more),
  );

export const methodNotAllowed = (): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/** 410: the client must list anew. */
export const expired = (message: string): ApiError => new ApiError(410, 'Expired', message);

/** 422 with one cause per fault. `kind` is the object's kind (of a stored object) or an options type. */
export const invalidObject = (group: string, kind: string, name: string, errors: readonly FieldError[]): ApiError =>
  new ApiError(
    422,
    'Invalid',
    `${group ? `${kind}.${group}` : kind} "${name}" is invalid: ${describeErrors(errors)}`,
    invalidDetails(name, group, kind, errors),
  );

/** Query parameters that do not fit, in the words the server has for its option types. */
export const invalidOptions = (kind: string, errors: readonly FieldError[]): ApiError =>
  invalidObject('meta.k8s.io', kind, '', errors);
