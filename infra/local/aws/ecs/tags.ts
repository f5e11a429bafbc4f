import * as z from 'zod/mini';
import { type AwsError, invalidParameter } from '../service-error.ts';

export const tagsSchema = z.array(z.object({ key: z.optional(z.string()), value: z.optional(z.string()) }));

export interface Tag {
  readonly key: string;
  readonly value: string;
}

/** Checked tags. @throws {AwsError} InvalidParameterException by the limits of ECS: 50 tags, key 128, value 256, no `aws:`. */
export const toTags = (tags: z.output<typeof tagsSchema> | undefined): readonly Tag[] => {
  const problem = problemOf(tags ?? []);
  if (problem) throw problem;
  return (tags ?? []).map(({ key = '', value = '' }) => ({ key, value }));
};

const problemOf = (tags: z.output<typeof tagsSchema>): AwsError | undefined => {
  if (tags.length > 50) return invalidParameter('Too many tags: a resource can have at most 50.');
  const keys = tags.map(({ key }) => key ?? '');
  if (new Set(keys).size !== keys.length) return invalidParameter('Duplicate tag keys found.');
  for (const { key = '', value = '' } of tags) {
    if (!/^[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,128}$/u.test(key)) return invalidParameter(`Invalid tag key '${key}'.`);
    if (!/^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/u.test(value)) return invalidParameter(`Invalid value of tag '${key}'.`);
    if (/^aws:/i.test(key)) return invalidParameter(`Tag keys starting with 'aws:' are reserved: '${key}'.`);
  }
  return undefined;
};

/** `tags` with those of `more` added or replaced. */
export const mergeTags = (tags: readonly Tag[], more: readonly Tag[]): readonly Tag[] => [
  ...tags.filter(({ key }) => !more.some((other) => other.key === key)),
  ...more,
];
