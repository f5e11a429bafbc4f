import { PROVIDERS } from '../../../app/providers.ts';
import { type Environment, parseEnvironment } from '../../../config/environment.ts';
import { PermanentError } from '../../../core/errors.ts';
import type { FargateSettings } from '../../../providers/fargate/settings.ts';
import { nameOf } from '../../manifests/manifest.ts';
import type { Check } from '../check.ts';
import { type Finding, fail, pass } from '../finding.ts';
import type { World } from '../world.ts';

/** The function whose environment says what the deployment is. */
export const heartbeatOf = (deployment: string): string => `${nameOf(deployment)}-node-heartbeat`;

/** Whether the stack is there, and its functions can read what they are given. */
export const deploymentCheck: Check = {
  name: 'deployment',
  run: async (world, signal) => [
    judge(world, await world.account.functionEnvironment(heartbeatOf(world.deployment), signal)),
  ],
};

/** What the functions find in their environment. @throws {PermanentError} listing every fault. */
export const readEnvironment = (
  variables: Readonly<Record<string, string>>,
  region: string,
): Environment<FargateSettings> => parseEnvironment({ ...variables, AWS_REGION: region }, PROVIDERS);

const judge = (
  { deployment, region }: Pick<World, 'deployment' | 'region'>,
  variables: Readonly<Record<string, string>> | undefined,
): Finding => {
  if (variables === undefined)
    return fail(
      `there is no function ${heartbeatOf(deployment)} in ${region}`,
      `npx serverless deploy --stage ${deployment} --region ${region}, or correct --deployment and --region`,
    );
  try {
    const { nodes } = readEnvironment(variables, region).settings;
    return pass(`${nameOf(deployment)} in ${region} keeps ${nodes.map(({ name }) => name).join(', ')}`);
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error;
    return fail(error.message, 'deploy the version of the stack that this svk belongs to');
  }
};
