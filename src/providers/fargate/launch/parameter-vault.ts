import { translated } from '../aws/errors.ts';
import type { ParametersApi } from '../aws/parameters-api.ts';
import type { SecretVault } from './shared-secrets.ts';

const STANDARD_TIER_BYTES = 4096;

/** Values of variables, as SecureStrings of SSM's Parameter Store. */
export const parameterVault = (parameters: ParametersApi): SecretVault => ({
  prefix: 'SECRET#',
  put: async ({ path, value }, signal) => {
    const tier = Buffer.byteLength(value) > STANDARD_TIER_BYTES ? 'Advanced' : 'Standard';
    await translated(
      'SSM PutParameter',
      () =>
        parameters.putParameter(
          { Name: path, Value: value, Type: 'SecureString', Tier: tier, Overwrite: true },
          signal,
        ),
      { secret: true },
    );
  },
  remove: async (path, signal) => {
    await translated('SSM DeleteParameter', () => parameters.deleteParameter({ Name: path }, signal));
  },
});
