import { TransientError } from '../../../core/errors.ts';
import { awsFaultOf, translateAwsError, translated } from '../aws/errors.ts';
import type { SecretsApi } from '../aws/secrets-api.ts';
import type { SecretVault } from './shared-secrets.ts';

/**
 * Logins for registries, as secrets of Secrets Manager: ECS takes them from nowhere else. What is there already under a
 * path has the same content, which the path names.
 */
export const loginVault = (secrets: SecretsApi): SecretVault => ({
  prefix: 'LOGIN#',
  put: async ({ path, value }, signal) => {
    const input = { Name: path, SecretString: value, Description: 'login of a pod for a registry' };
    try {
      await secrets.createSecret(input, signal);
    } catch (error) {
      const { name, message } = awsFaultOf(error);
      if (name === 'ResourceExistsException') return;
      // For a moment the name of a secret that was removed cannot be used again.
      if (name === 'InvalidRequestException' && /scheduled for deletion/i.test(message))
        throw new TransientError(`Secrets Manager CreateSecret: ${path} is still being removed`);
      throw translateAwsError(error, 'Secrets Manager CreateSecret', { secret: true });
    }
  },
  remove: async (path, signal) => {
    await translated('Secrets Manager DeleteSecret', () =>
      secrets.deleteSecret({ SecretId: path, ForceDeleteWithoutRecovery: true }, signal),
    );
  },
});
