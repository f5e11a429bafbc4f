import * as z from 'zod/mini';
import { parseInput } from '../../parse-input.ts';
import { clientError, invalidParameter } from '../../service-error.ts';
import type { EcsContext } from '../context.ts';
import { definitionShape, type TaskDefinition } from './definition.ts';
import { knownDefinition } from './read-definitions.ts';
import { removeUnused } from './unused-definitions.ts';

const deregisterSchema = z.object({ taskDefinition: z.optional(z.string()) });

/** DeregisterTaskDefinition: the revision becomes INACTIVE; tasks of it go on, new ones are refused. */
export const deregisterTaskDefinition = (context: EcsContext, input: unknown): unknown => {
  const { taskDefinition: name = '' } = parseInput(deregisterSchema, input);
  if (!/:\d+$/.test(name)) throw clientError('Missing a revision number in the task definition.');
  const known = knownDefinition(context, name);
  const definition: TaskDefinition =
    known.status === 'ACTIVE' ? { ...known, status: 'INACTIVE', deregisteredAt: context.clock.now() } : known;
  context.definitions.put(definition);
  return { taskDefinition: definitionShape(definition) };
};

const deleteSchema = z.object({ taskDefinitions: z.optional(z.array(z.string())) });

/** DeleteTaskDefinitions: at most 10, deregistered before; gone once no task uses them. */
export const deleteTaskDefinitions = (context: EcsContext, input: unknown): unknown => {
  const { taskDefinitions: names = [] } = parseInput(deleteSchema, input);
  if (names.length === 0) throw invalidParameter('Task definitions cannot be empty.');
  if (names.length > 10) throw invalidParameter('At most 10 task definitions can be deleted at once.');
  const deleted: unknown[] = [];
  const failures: unknown[] = [];
  for (const name of names) {
    const known = /:\d+$/.test(name) ? context.definitions.find(name) : undefined;
    if (!known) {
      failures.push({ arn: name, reason: 'MISSING' });
    } else if (known.status === 'ACTIVE') {
      failures.push({
        arn: known.arn,
        reason: 'The specified task definition is still in ACTIVE status. Please deregister the target and try again.',
      });
    } else {
      const definition: TaskDefinition = {
        ...known,
        status: 'DELETE_IN_PROGRESS',
        deleteRequestedAt: context.clock.now(),
      };
      context.definitions.put(definition);
      deleted.push(definitionShape(definition));
    }
  }
  removeUnused(context);
  return { taskDefinitions: deleted, failures };
};
