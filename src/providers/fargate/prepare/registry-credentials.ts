import type { RegistryLogin } from '../../../model/registry-login.ts';
import { type SecretScope, type SharedSecret, sharedSecret } from './shared-secret.ts';

/** Amazon ECR, whose images are pulled with the execution role. */
const ECR = /^\d{12}\.dkr[.-]ecr(-fips)?\.[\w-]+\.(amazonaws\.com(\.cn)?|on\.aws)\//;

/** True for an image that ECS pulls with `repositoryCredentials`, where there are any. */
export const pullsWithLogin = (image: string): boolean => !ECR.test(image);

/** A login as ECS reads it from Secrets Manager (developer guide, "private registry authentication"). */
export const registryCredentials = ({ secret, username, password }: RegistryLogin, scope: SecretScope): SharedSecret =>
  sharedSecret(JSON.stringify({ username, password }), { secret, key: 'registry' }, scope);
