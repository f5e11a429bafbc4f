import type { IncomingMessage } from 'node:http';
import { parse as parseYaml } from 'yaml';
import { isObject, type JsonObject, type KubernetesObject, objectOf, textOf } from '../model/object.ts';
import { ApiError, badRequest } from '../model/status.ts';
import { apiVersionOf, type ResourceDefinition } from '../resources/definition.ts';
import { DecodeError, decodeAs } from '../schema/decode.ts';
import { decodeProtobuf } from '../schema/protobuf.ts';
import type { FieldValidation } from './options.ts';

/** The real server's limit. */
const MAX_BODY_BYTES = 3 * 1_024 * 1_024;

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
const ACCEPTED = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];

/** The whole body. @throws {ApiError} 413 above 3 MiB. */
export const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      throw new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY_BYTES}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** The media type without its parameters; JSON where none was sent. */
export const mediaTypeOf = (request: IncomingMessage): string =>
  (request.headers['content-type'] ?? JSON_TYPE).split(';')[0]?.trim().toLowerCase() || JSON_TYPE;

/** Reads a JSON, YAML or protobuf object that should be of `expected`'s kind. @throws {ApiError} 400, 415 */
export const parseObjectBody = (
  body: Buffer,
  mediaType: string,
  { kind, type }: Pick<Expected, 'kind' | 'type'>,
): JsonObject => {
  if (!ACCEPTED.includes(mediaType)) {
    throw new ApiError(
      415,
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: ${ACCEPTED.join(', ')}`,
    );
  }
  const parsed = parseBytes(body, mediaType, kind, type);
  if (isObject(parsed)) return parsed;
  throw unrecognised(kind, 'json: cannot unmarshal array into Go value of type struct');
};

const parseBytes = (body: Buffer, mediaType: string, kind: string, type: string): unknown => {
  try {
    if (mediaType === PROTOBUF_TYPE) return decodeProtobuf(type, body);
    const text = body.toString('utf8');
    return mediaType === YAML_TYPE ? parseYaml(text, { schema: 'yaml-1.1' }) : JSON.parse(text);
  } catch (error) {
    throw unrecognised(kind, error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
};

const unrecognised = (kind: string, why: string): ApiError =>
  badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${why}`,
  );

export interface DecodedObject {
  readonly object: KubernetesObject;
  /** Unknown fields, for the Warning header. */
  readonly warnings: readonly string[];
}

type Expected = Pick<ResourceDefinition, 'group' | 'version' | 'kind' | 'type'>;

/**
 * Checks a body against its type and the request's resource. apiVersion and kind may be missing. See
 * {@link decodeAs} for partial bodies.
 * @throws {ApiError} 400 for another kind, values that cannot be read, and (strict) unknown fields.
 */
export const decodeObject = (
  expected: Expected,
  body: JsonObject,
  validation: FieldValidation,
  isPartial = false,
): DecodedObject => {
  const kind = textOf(body['kind']) || expected.kind;
  const apiVersion = textOf(body['apiVersion']) || apiVersionOf(expected);
  const refuse = (why: string): ApiError =>
    badRequest(
      `${kind} in version "${apiVersion.split('/').pop() ?? ''}" cannot be handled as a ${expected.kind}: ${why}`,
    );
  if (kind !== expected.kind) throw refuse(`converting (${kind}) to (${expected.kind}): unknown conversion`);
  if (apiVersion !== apiVersionOf(expected)) {
    throw refuse(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`);
  }
  const { value, unknownFields } = decodeOrRefuse(expected, body, isPartial, refuse);
  const faults = unknownFields.map((field) => `unknown field "${field}"`);
  if (validation === 'Strict' && faults.length > 0) throw refuse(`strict decoding error: ${faults.join(', ')}`);
  return {
    object: { ...value, kind, apiVersion, metadata: objectOf(value['metadata']) },
    warnings: validation === 'Warn' ? faults : [],
  };
};

const decodeOrRefuse = (
  { type }: Expected,
  body: JsonObject,
  isPartial: boolean,
  refuse: (why: string) => ApiError,
): ReturnType<typeof decodeAs> => {
  try {
    return decodeAs(type, body, isPartial);
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(error.message);
    throw error;
  }
};

/** A request's body as the object its resource expects. @throws {ApiError} 400, 413, 415 */
export const readObject = async (
  request: IncomingMessage,
  expected: Expected,
  validation: FieldValidation,
): Promise<DecodedObject> => {
  const body = parseObjectBody(await readBody(request), mediaTypeOf(request), expected);
  return decodeObject(expected, body, validation);
};
