import * as z from 'zod/mini';
import { invalidParameter } from '../../service-error.ts';
import { tagsSchema } from '../tags.ts';
import { overrideSchema } from './overrides.ts';

const text = z.optional(z.string());

/** The input of RunTask. */
export const runTaskSchema = z.object({
  cluster: text,
  taskDefinition: text,
  count: z.optional(z.int()),
  launchType: text,
  capacityProviderStrategy: z.optional(
    z.array(z.object({ capacityProvider: text, weight: z.optional(z.int()), base: z.optional(z.int()) })),
  ),
  platformVersion: text,
  networkConfiguration: z.optional(
    z.object({
      awsvpcConfiguration: z.optional(
        z.object({
          subnets: z.optional(z.array(z.string())),
          securityGroups: z.optional(z.array(z.string())),
          assignPublicIp: text,
        }),
      ),
    }),
  ),
  overrides: z.optional(overrideSchema),
  startedBy: text,
  group: text,
  clientToken: text,
  enableExecuteCommand: z.optional(z.boolean()),
  enableECSManagedTags: z.optional(z.boolean()),
  propagateTags: text,
  referenceId: text,
  placementConstraints: z.optional(z.array(z.unknown())),
  placementStrategy: z.optional(z.array(z.unknown())),
  tags: z.optional(tagsSchema),
  volumeConfigurations: z.optional(z.array(z.looseObject({ name: text }))),
});

export type RunTaskRequest = z.output<typeof runTaskSchema>;

/** @throws {AwsError} InvalidParameterException for members that break the documented limits. */
export const checkRequest = (request: RunTaskRequest): void => {
  for (const problem of problemsOf(request)) throw invalidParameter(problem);
};

function* problemsOf(request: RunTaskRequest): Generator<string> {
  const { count = 1, startedBy, group, clientToken, propagateTags } = request;
  if (count < 1 || count > 10) yield 'The number of tasks must be between 1 and 10.';
  if (startedBy !== undefined && !/^[A-Za-z0-9_/-]{1,128}$/.test(startedBy)) {
    yield 'startedBy must be 1 to 128 letters, numbers, hyphens, forward slashes and underscores.';
  }
  if (group !== undefined && (group.length > 255 || group.length === 0)) yield 'group must be 1 to 255 characters.';
  if (group?.startsWith('service:')) yield "The group name cannot begin with 'service:'.";
  if (clientToken !== undefined && !/^[\x21-\x7e]{1,64}$/.test(clientToken)) {
    yield 'clientToken must be 1 to 64 ASCII characters in the range 33-126.';
  }
  if (propagateTags !== undefined && !['TASK_DEFINITION', 'NONE'].includes(propagateTags)) {
    yield `Invalid propagateTags '${propagateTags}' for a task.`;
  }
  if (request.placementConstraints?.length || request.placementStrategy?.length) {
    yield 'Placement constraints and strategies are not supported with FARGATE launch type.';
  }
}
