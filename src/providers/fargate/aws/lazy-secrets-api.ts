import type { SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import type { SecretsApi } from './secrets-api.ts';

/** {@link SecretsApi}, whose SDK is loaded with the first call: few pods bring a login. */
export const lazySecretsApi = (config: SecretsManagerClientConfig): SecretsApi => {
  let opened: Promise<SecretsApi> | undefined;
  const open = (): Promise<SecretsApi> => {
    opened ??= import('./secrets-api.ts').then(({ createSecretsApi }) => createSecretsApi(config));
    return opened;
  };
  return {
    createSecret: async (input, signal) => (await open()).createSecret(input, signal),
    deleteSecret: async (input, signal) => (await open()).deleteSecret(input, signal),
    close: () => void opened?.then((api) => api.close()),
  };
};
