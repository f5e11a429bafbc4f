import {
  CreateSecretCommand,
  type CreateSecretCommandInput,
  DeleteSecretCommand,
  type DeleteSecretCommandInput,
  SecretsManagerClient,
  type SecretsManagerClientConfig,
} from '@aws-sdk/client-secrets-manager';

/** The calls of Secrets Manager this provider makes. Each rejects with the SDK's error. */
export interface SecretsApi {
  createSecret(input: CreateSecretCommandInput, signal: AbortSignal): Promise<unknown>;
  deleteSecret(input: DeleteSecretCommandInput, signal: AbortSignal): Promise<unknown>;
  /** Closes the connections that are kept alive. */
  close(): void;
}

/** {@link SecretsApi} over the SDK. */
export const createSecretsApi = (config: SecretsManagerClientConfig): SecretsApi => {
  const client = new SecretsManagerClient(config);
  return {
    createSecret: (input, signal) => client.send(new CreateSecretCommand(input), { abortSignal: signal }),
    deleteSecret: (input, signal) => client.send(new DeleteSecretCommand(input), { abortSignal: signal }),
    close: () => client.destroy(),
  };
};
