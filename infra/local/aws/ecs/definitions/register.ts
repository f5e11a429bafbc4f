import { parseInput } from '../../parse-input.ts';
import { clientError } from '../../service-error.ts';
import type { EcsContext } from '../context.ts';
import { toTags } from '../tags.ts';
import { containerProblems } from './container-rules.ts';
import { definitionShape, type TaskDefinition } from './definition.ts';
import { cpuUnitsOf, memoryMiBOf } from './fargate-sizes.ts';
import { type DefinitionInput, definitionSchema } from './schema.ts';
import { taskProblems } from './task-rules.ts';

const busy = 'Too many concurrent attempts to create a new revision of the specified family.';

/** RegisterTaskDefinition. As with the service, only the first problem is told; it keeps its family busy for a moment. */
export const registerTaskDefinition = async (context: EcsContext, input: unknown): Promise<unknown> => {
  const request = parseInput(definitionSchema, input);
  const problem = firstProblem(request);
  if (problem !== undefined) throw clientError(problem);
  const tags = toTags(request.tags);
  const family = request.family ?? '';
  if (context.faults.take('registration-conflict') || context.registering.has(family)) throw clientError(busy);
  context.registering.add(family);
  try {
    if (context.delays.registration > 0) await context.timers.sleep(context.delays.registration);
  } finally {
    context.registering.delete(family);
  }
  const { tags: _, ...rest } = request;
  const revision = context.definitions.nextRevision(family);
  const definition: TaskDefinition = {
    arn: context.arns.taskDefinition(family, revision),
    family,
    revision,
    status: 'ACTIVE',
    cpu: String(cpuUnitsOf(request.cpu ?? '')),
    memory: String(memoryMiBOf(request.memory ?? '')),
    input: rest,
    containers: (request.containerDefinitions ?? []).map((container) => ({
      ...container,
      name: container.name ?? '',
      image: container.image ?? '',
      essential: container.essential ?? true,
    })),
    tags,
    registeredAt: context.clock.now(),
    registeredBy: `arn:aws:iam::${context.accountId}:user/local`,
  };
  context.definitions.put(definition);
  return { taskDefinition: definitionShape(definition), tags };
};

const firstProblem = (input: DefinitionInput): string | undefined => {
  for (const problem of taskProblems(input)) return problem;
  for (const problem of containerProblems(input)) return problem;
  return undefined;
};
