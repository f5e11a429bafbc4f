import { createSsmClient } from '../../adapters/secrets/client.ts';
import { OperatorParameters } from '../../adapters/secrets/operator-parameters.ts';
import { type CommandContext, regionOf } from '../commands/command-context.ts';

/** Parameter Store of the deployment's region. @throws {PermanentError} where no region is known. */
export const openParameters = (
  option: string | undefined,
  context: CommandContext,
): { readonly parameters: OperatorParameters; readonly region: string } => {
  const region = regionOf(option, context);
  const endpoint = context.environment['AWS_ENDPOINT_URL_SSM'];
  const client = createSsmClient({ region, ...(endpoint !== undefined && { endpoint }) });
  return { parameters: new OperatorParameters(client), region };
};
