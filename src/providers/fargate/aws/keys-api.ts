import {
  GenerateDataKeyCommand,
  type GenerateDataKeyCommandInput,
  type GenerateDataKeyCommandOutput,
  KMSClient,
  type KMSClientConfig,
} from '@aws-sdk/client-kms';

/** The call of KMS this provider makes, for exec sessions that are encrypted. Rejects with the SDK's error. */
export interface KeysApi {
  generateDataKey(input: GenerateDataKeyCommandInput, signal: AbortSignal): Promise<GenerateDataKeyCommandOutput>;
  /** Closes the connections that are kept alive. */
  close(): void;
}

/** {@link KeysApi} over the SDK. */
export const createKeysApi = (config: KMSClientConfig): KeysApi => {
  const client = new KMSClient(config);
  return {
    generateDataKey: (input, signal) => client.send(new GenerateDataKeyCommand(input), { abortSignal: signal }),
    close: () => client.destroy(),
  };
};
