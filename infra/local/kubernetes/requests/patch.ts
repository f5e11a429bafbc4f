import jsonPatch, { type Operation } from 'fast-json-patch';
import { parse as parseYaml } from 'yaml';
import { invalid, required } from '../model/field-error.ts';
import { isObject, type JsonObject, type KubernetesObject, textOf } from '../model/object.ts';
import {
  ApiError,
  badRequest,
  internal,
  invalidObject,
  invalidOptions,
  noSuchResource,
  notFound,
} from '../model/status.ts';
import { createObject } from '../objects/create.ts';
import { updateObject } from '../objects/update.ts';
import { applyConfiguration } from '../patch/apply-configuration.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { StrategicMergeError, strategicMergePatch } from '../patch/strategic-merge-patch.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { decodeObject, mediaTypeOf, readBody } from './body.ts';
import { type Exchange, respond } from './exchange.ts';
import { type FieldValidation, type WriteOptions, writeOptions } from './options.ts';
import { inRequestedVersion, representObject } from './represent.ts';
import { inStoredVersion } from './write.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCHES = ['application/apply-patch+yaml', 'application/apply-patch'];

/** PATCH of an object or its status, with each of the four patch types. */
export const patchObject = async (
  exchange: Exchange,
  definition: ResourceDefinition,
  namespace: string | undefined,
  name: string,
  isStatus: boolean,
): Promise<void> => {
  const options = writeOptions(exchange.query, 'PatchOptions');
  const text = (await readBody(exchange.request)).toString('utf8');
  const mediaType = mediaTypeOf(exchange.request);
  if (APPLY_PATCHES.includes(mediaType)) {
    return apply(exchange, definition, { namespace, name, isStatus }, text, options);
  }
  const patch = parsePatch(text, mediaType);
  const current = exchange.api.store.get(definition.resource, namespace, name);
  if (!current) throw notFound(definition, name);
  const before = inRequestedVersion(definition, current);
  const patched = patchWith(definition, mediaType, before, patch);
  const shown = mediaType === STRATEGIC_MERGE_PATCH ? goText(patch) : JSON.stringify(patched);
  const { object, warnings } = decodePatched(definition, patched, shown, options.fieldValidation);
  const updated = updateObject(exchange.api, definition, current, inStoredVersion(definition, object), {
    isStatus,
    isDryRun: options.isDryRun,
    isReplacement: false,
  });
  respond(exchange, 200, representObject(exchange, definition, updated), warnings);
};

const parsePatch = (text: string, mediaType: string): unknown => {
  if (![JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH].includes(mediaType)) {
    throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  const patch = parseJson(text);
  const isFit = mediaType === JSON_PATCH ? Array.isArray(patch) : isObject(patch);
  if (isFit) return patch;
  const found = Array.isArray(patch) ? 'array' : isObject(patch) ? 'object' : typeof patch;
  const wanted = mediaType === JSON_PATCH ? '[]handlers.jsonPatchOp' : 'map[string]interface {}';
  throw badRequest(`error decoding patch: json: cannot unmarshal ${found} into Go value of type ${wanted}`);
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : String(error)}`);
  }
};

const patchWith = (
  definition: ResourceDefinition,
  mediaType: string,
  before: KubernetesObject,
  patch: unknown,
): JsonObject => {
  if (mediaType === JSON_PATCH) return withJsonPatch(before, patch);
  const fields = isObject(patch) ? patch : {};
  if (mediaType === MERGE_PATCH) {
    const merged = mergePatch(before, fields);
    return isObject(merged) ? merged : {};
  }
  try {
    return strategicMergePatch(definition.type, before, fields);
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    if (error.code === 500) throw internal(error.message);
    throw invalidObject('', '', '', [invalid('patch', goText(fields), error.message)]);
  }
};

/** RFC 6902. Whatever does not apply is 422 without a word why, as the real server answers. */
const withJsonPatch = (before: KubernetesObject, patch: unknown): JsonObject => {
  // The library checks each operation before it applies it.
  const operations = Array.isArray(patch) ? (patch as Operation[]) : [];
  try {
    const { newDocument } = jsonPatch.applyPatch<unknown>(structuredClone(before), operations, true, true);
    if (isObject(newDocument)) return newDocument;
  } catch {
    // Falls through: the library's reasons are not the server's words.
  }
  throw new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
};

/** The patched object must still be of its type; the fault is the patch's. */
const decodePatched = (
  definition: ResourceDefinition,
  patched: JsonObject,
  shown: string,
  validation: FieldValidation,
): ReturnType<typeof decodeObject> => {
  try {
    return decodeObject(definition, patched, validation);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const why = error.message.replace(/^.* cannot be handled as a [^:]*: /, '');
    throw invalidObject('', '', '', [invalid('patch', shown, why)]);
  }
};

/** How Go prints a map, for the faults of strategic merge patches. */
const goText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return value === null ? '<nil>' : (textOf(value) ?? JSON.stringify(value));
  return `map[${Object.keys(value)
    .sort()
    .map((key) => `${key}:${goText(value[key])}`)
    .join(' ')}]`;
};

interface Target {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly isStatus: boolean;
}

/** Server-side apply: makes the object where there is none. */
const apply = async (
  exchange: Exchange,
  definition: ResourceDefinition,
  { namespace, name, isStatus }: Target,
  text: string,
  options: WriteOptions,
): Promise<void> => {
  if (options.fieldManager === '') {
    throw invalidOptions('PatchOptions', [required('fieldManager', 'is required for apply patch')]);
  }
  const { api, user } = exchange;
  const { object, warnings } = decodeObject(definition, parseConfiguration(text), options.fieldValidation, true);
  const configuration = { ...object, metadata: { name, ...object.metadata } };
  const current = api.store.get(definition.resource, namespace, name);
  if (!current) {
    if (isStatus) throw noSuchResource();
    const stored = inStoredVersion(definition, decodeObject(definition, configuration, 'Ignore').object);
    const created = await createObject(api, definition, stored, { namespace, isDryRun: options.isDryRun, user });
    if (!options.isDryRun) api.applied.remember(created, options.fieldManager, configuration);
    respond(exchange, 201, representObject(exchange, definition, created), warnings);
    return;
  }
  const before = inRequestedVersion(definition, current);
  const previous = api.applied.last(current, options.fieldManager);
  const merged = applyConfiguration(definition.type, before, previous, configuration);
  const next = inStoredVersion(definition, decodeObject(definition, merged, 'Ignore').object);
  const updated = updateObject(api, definition, current, next, {
    isStatus,
    isDryRun: options.isDryRun,
    isReplacement: false,
  });
  if (!options.isDryRun) api.applied.remember(updated, options.fieldManager, configuration);
  respond(exchange, 200, representObject(exchange, definition, updated), warnings);
};

const parseConfiguration = (text: string): JsonObject => {
  try {
    const parsed: unknown = parseYaml(text);
    if (isObject(parsed)) return parsed;
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw badRequest('error decoding YAML: the configuration must be an object');
};
