import { parameterNames } from '../../config/parameter-names.ts';
import { PermanentError } from '../../core/errors.ts';
import type { CommandContext } from '../commands/command-context.ts';
import { openParameters } from '../credentials/open-parameters.ts';
import { type DeploymentFacts, parseDeploymentFacts } from './deployment-facts.ts';

const TIME_LIMIT_MS = 30_000;

/** What the stack tells about itself. @throws {PermanentError} where there is no such deployment in the region. */
export const askStackFacts = async (
  { deployment, region: option }: { readonly deployment: string; readonly region?: string },
  context: CommandContext,
): Promise<DeploymentFacts> => {
  const { parameters, region } = openParameters(option, context);
  const name = parameterNames(deployment).deployment;
  const text = await parameters.find(name, AbortSignal.timeout(TIME_LIMIT_MS));
  if (text === undefined)
    throw new PermanentError(
      `there is no deployment "${deployment}" in ${region}: deploy it first, correct --deployment or --region, or name its nodes with --nodes`,
    );
  return parseDeploymentFacts(text, `SSM parameter ${name}`);
};

/** Names apart by commas. */
export const namesOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
