import type { ResolvedVariable } from '../../../model/environment.ts';
import { type SecretScope, type SharedSecret, sharedSecret } from './shared-secret.ts';

/** SSM holds no more than this in one parameter (advanced tier). */
export const MAX_PARAMETER_BYTES = 8192;

/** The value of a secret variable as a parameter; one that was expanded from several Secrets is named after itself. */
export const secretParameter = ({ value, secret, name }: ResolvedVariable, scope: SecretScope): SharedSecret =>
  sharedSecret(value, secret ? { secret: secret.name, key: secret.key } : { secret: 'expanded', key: name }, scope);
