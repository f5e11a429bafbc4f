import type { KMSClientConfig } from '@aws-sdk/client-kms';
import type { KeysApi } from './keys-api.ts';

/** {@link KeysApi}, whose SDK is loaded with the first call: few clusters encrypt their sessions. */
export const lazyKeysApi = (config: KMSClientConfig): KeysApi => {
  let opened: Promise<KeysApi> | undefined;
  return {
    generateDataKey: async (input, signal) => {
      opened ??= import('./keys-api.ts').then(({ createKeysApi }) => createKeysApi(config));
      return (await opened).generateDataKey(input, signal);
    },
    close: () => void opened?.then((api) => api.close()),
  };
};
