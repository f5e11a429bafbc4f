import { ApiError } from '../model/status.ts';

/** The form the client wants its answer in. */
export interface Representation {
  readonly encoding: 'json' | 'yaml';
  readonly as: 'object' | 'table' | 'metadata';
}

const AVAILABLE = 'application/json, application/yaml';

/**
 * Picks the first range of an Accept header this API can serve: JSON or YAML, plain, as `Table` or as
 * `PartialObjectMetadata(List)`. Protobuf is not spoken; its clients name JSON second.
 * @throws {ApiError} 406 where nothing fits.
 */
export const negotiate = (accept: string | undefined): Representation => {
  for (const range of (accept || '*/*').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const valueOf = (name: string): string | undefined =>
      parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1);
    const encoding = encodingOf(type);
    const as = formOf(valueOf('as'), valueOf('g'), valueOf('v'));
    if (encoding !== undefined && as !== undefined) return { encoding, as };
  }
  throw new ApiError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${AVAILABLE}`, {});
};

const encodingOf = (type: string): Representation['encoding'] | undefined => {
  if (type === 'application/json' || type === 'application/*' || type === '*/*') return 'json';
  return type === 'application/yaml' ? 'yaml' : undefined;
};

const formOf = (
  as: string | undefined,
  group: string | undefined,
  version: string | undefined,
): Representation['as'] | undefined => {
  if (as === undefined) return 'object';
  if (group !== 'meta.k8s.io' || version !== 'v1') return undefined;
  if (as === 'Table') return 'table';
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? 'metadata' : undefined;
};
