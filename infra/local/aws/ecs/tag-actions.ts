import * as z from 'zod/mini';
import { parseInput } from '../parse-input.ts';
import { invalidParameter } from '../service-error.ts';
import type { EcsContext } from './context.ts';
import { mergeTags, type Tag, tagsSchema, toTags } from './tags.ts';

interface Tagged {
  readonly tags: readonly Tag[];
  readonly set: (tags: readonly Tag[]) => void;
}

const resource = { resourceArn: z.optional(z.string()) };

/** TagResource: adds or replaces. */
export const tagResource = (context: EcsContext, input: unknown): unknown => {
  const request = parseInput(z.object({ ...resource, tags: z.optional(tagsSchema) }), input);
  const tagged = knownResource(context, request.resourceArn);
  const merged = mergeTags(tagged.tags, toTags(request.tags));
  tagged.set(toTags([...merged]));
  return {};
};

/** UntagResource: keys that are not there are no error. */
export const untagResource = (context: EcsContext, input: unknown): unknown => {
  const { resourceArn, tagKeys = [] } = parseInput(
    z.object({ ...resource, tagKeys: z.optional(z.array(z.string())) }),
    input,
  );
  const tagged = knownResource(context, resourceArn);
  tagged.set(tagged.tags.filter(({ key }) => !tagKeys.includes(key)));
  return {};
};

/** ListTagsForResource. */
export const listTagsForResource = (context: EcsContext, input: unknown): unknown => ({
  tags: knownResource(context, parseInput(z.object(resource), input).resourceArn).tags,
});

const knownResource = (context: EcsContext, arn = ''): Tagged => {
  const task = arn.includes(':task/') ? context.tasks.find(arn) : undefined;
  if (task) return { tags: task.tags, set: (tags) => context.tasks.amend(task.arn, { tags }) };
  const definition = arn.includes(':task-definition/') ? context.definitions.find(arn) : undefined;
  if (definition) return { tags: definition.tags, set: (tags) => context.definitions.put({ ...definition, tags }) };
  const cluster = arn.includes(':cluster/') ? context.clusters.find(arn) : undefined;
  if (cluster) return { tags: cluster.tags, set: (tags) => context.clusters.put({ ...cluster, tags }) };
  throw invalidParameter('The specified resource is not found. Specify a valid resource ARN and try again.');
};
