import * as z from 'zod/mini';
import { pageOf } from '../../paging.ts';
import { parseInput } from '../../parse-input.ts';
import { clientError, invalidParameter } from '../../service-error.ts';
import type { EcsContext } from '../context.ts';
import { definitionShape, type TaskDefinition } from './definition.ts';
import { removeUnused } from './unused-definitions.ts';

/** @throws {AwsError} the service's ClientException for a definition it does not know. */
export const knownDefinition = (context: EcsContext, name: string | undefined): TaskDefinition => {
  removeUnused(context);
  const definition = name ? context.definitions.find(name) : undefined;
  if (!definition) throw clientError('Unable to describe task definition.');
  return definition;
};

const describeSchema = z.object({
  taskDefinition: z.optional(z.string()),
  include: z.optional(z.array(z.string())),
});

/** DescribeTaskDefinition: INACTIVE revisions are shown when asked for by number. */
export const describeTaskDefinition = (context: EcsContext, input: unknown): unknown => {
  const { taskDefinition, include } = parseInput(describeSchema, input);
  const definition = knownDefinition(context, taskDefinition);
  return {
    taskDefinition: definitionShape(definition),
    ...(include?.includes('TAGS') && { tags: definition.tags }),
  };
};

const listSchema = z.object({
  familyPrefix: z.optional(z.string()),
  status: z.optional(z.string()),
  sort: z.optional(z.string()),
  maxResults: z.optional(z.int()),
  nextToken: z.optional(z.string()),
});

/** ListTaskDefinitions: `familyPrefix` is a whole family name; ACTIVE ones unless another status is asked for. */
export const listTaskDefinitions = (context: EcsContext, input: unknown): unknown => {
  const { familyPrefix, status = 'ACTIVE', sort = 'ASC', maxResults = 100, nextToken } = parseInput(listSchema, input);
  const arns = context.definitions
    .all()
    .filter((definition) => definition.status === status && (!familyPrefix || definition.family === familyPrefix))
    .map(({ arn }) => arn);
  const page = checkedPage(sort === 'DESC' ? arns.toReversed() : arns, nextToken, maxResults);
  return { taskDefinitionArns: page.items, ...(page.nextToken !== undefined && { nextToken: page.nextToken }) };
};

/** ListTaskDefinitionFamilies: here `familyPrefix` is a prefix. */
export const listTaskDefinitionFamilies = (context: EcsContext, input: unknown): unknown => {
  const { familyPrefix = '', status = 'ACTIVE', maxResults = 100, nextToken } = parseInput(listSchema, input);
  const families = new Map<string, boolean>();
  for (const { family, status: its } of context.definitions.all()) {
    families.set(family, (families.get(family) ?? false) || its === 'ACTIVE');
  }
  const names = [...families]
    .filter(
      ([family, active]) => family.startsWith(familyPrefix) && (status === 'ALL' || active === (status === 'ACTIVE')),
    )
    .map(([family]) => family);
  const page = checkedPage(names, nextToken, maxResults);
  return { families: page.items, ...(page.nextToken !== undefined && { nextToken: page.nextToken }) };
};

const checkedPage = (
  items: readonly string[],
  token: string | undefined,
  size: number,
): { readonly items: readonly string[]; readonly nextToken?: string } => {
  if (size < 1 || size > 100) throw invalidParameter('maxResults must be between 1 and 100.');
  const page = pageOf(items, token, size);
  if (!page) throw invalidParameter('Invalid token.');
  return page;
};
