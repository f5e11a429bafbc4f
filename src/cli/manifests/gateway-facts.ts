import * as z from 'zod/mini';
import { parameterNames } from '../../config/parameter-names.ts';
import { PermanentError } from '../../core/errors.ts';
import type { CommandContext } from '../commands/command-context.ts';
import { openParameters } from '../credentials/open-parameters.ts';

const TIME_LIMIT_MS = 30_000;

/** What the stack writes for a gateway that runs elsewhere. */
const variables = z.object({
  AWS_REGION: z.string().check(z.minLength(1)),
  SVK_TABLE: z.string().check(z.minLength(1)),
  SVK_ECS_CLUSTER: z.string().check(z.minLength(1)),
  SVK_LOG_GROUP: z.string().check(z.minLength(1)),
  SVK_EXECUTION_ROLE_ARN: z.string().check(z.minLength(1)),
  SVK_SETTINGS: z.string().check(z.minLength(2)),
});

/** The variables of a stream gateway, as the stack tells them. @throws {PermanentError} where it does not. */
export const askGatewayVariables = async (
  { deployment, region: option }: { readonly deployment: string; readonly region?: string },
  context: CommandContext,
): Promise<Readonly<Record<string, string>>> => {
  const { parameters, region } = openParameters(option, context);
  const name = parameterNames(deployment).gateway;
  const text = await parameters.find(name, AbortSignal.timeout(TIME_LIMIT_MS));
  if (text === undefined)
    throw new PermanentError(
      `there is no SSM parameter ${name} in ${region}: deploy "${deployment}" with this version first, or correct --deployment or --region`,
    );
  try {
    return variables.parse(JSON.parse(text));
  } catch (cause) {
    throw new PermanentError(`SSM parameter ${name} is not what this version of the stack writes: deploy again`, {
      cause,
    });
  }
};
