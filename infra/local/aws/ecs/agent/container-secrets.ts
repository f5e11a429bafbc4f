import * as z from 'zod/mini';
import { type ContainerSpec, StartFailure } from '../../../runtimes/runtime.ts';
import { SecretUnreadable, secretForContainer } from '../../secrets/agent-secrets.ts';
import type { EcsContext } from '../context.ts';
import type { TaskDefinition } from '../definitions/definition.ts';

type Container = TaskDefinition['containers'][number];

const retrieval =
  'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed:';

const loginSchema = z.object({ username: z.string(), password: z.string() });

/**
 * `repositoryCredentials`: a secret of `{"username", "password"}` (developer guide, "private registry authentication").
 * @throws {StartFailure} where it cannot be read.
 */
export const registryLoginOf = (
  { secrets }: EcsContext,
  { repositoryCredentials }: Container,
): ContainerSpec['registryLogin'] | undefined => {
  const arn = repositoryCredentials?.credentialsParameter;
  if (arn === undefined) return undefined;
  try {
    return z.parse(loginSchema, JSON.parse(secretForContainer(secrets, arn)));
  } catch (error) {
    // Neither the parser's words nor the schema's may show what the secret holds.
    const why = error instanceof SecretUnreadable ? error.message : 'the secret is no JSON of username and password';
    throw new StartFailure(`${retrieval} unable to retrieve registry auth from asm: ${why}`);
  }
};

/**
 * The values of `secrets` by their variables.
 * @throws {StartFailure} naming all parameters that are not there.
 */
export const secretsOf = (context: EcsContext, container: Container): Readonly<Record<string, string>> => {
  if (container.environmentFiles?.length) {
    throw new StartFailure(
      'ResourceInitializationError: failed to download env files: the local ECS has no access to S3',
    );
  }
  const values: Record<string, string> = {};
  const invalid: string[] = [];
  for (const { name = '', valueFrom = '' } of container.secrets ?? []) {
    if (valueFrom.includes(':secretsmanager:')) {
      try {
        values[name] = secretForContainer(context.secrets, valueFrom);
      } catch (error) {
        if (!(error instanceof SecretUnreadable)) throw error;
        throw new StartFailure(`${retrieval} unable to retrieve secret from asm: ${error.message}`);
      }
      continue;
    }
    const value = context.parameters.valueOf(valueFrom);
    if (value === undefined) invalid.push(valueFrom.replace(/^arn:.*?:parameter/, ''));
    else values[name] = value;
  }
  if (invalid.length > 0) {
    throw new StartFailure(
      `${retrieval} unable to retrieve secrets from ssm: service call has been retried 1 time(s): invalid ssm parameters: ${invalid.join(', ')}`,
    );
  }
  return values;
};
