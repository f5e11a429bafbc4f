import { ECSClient, UpdateClusterCommand } from '@aws-sdk/client-ecs';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';

export interface ExecKey {
  readonly arn: string;
  readonly kms: KMSClient;
  close(): void;
}

/** Makes a key in the local cloud at `url`, with which `cluster` encrypts its sessions of ExecuteCommand from now on. */
export const encryptSessions = async (url: string, cluster: string): Promise<ExecKey> => {
  const options = {
    endpoint: url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  };
  const [kms, ecs] = [new KMSClient(options), new ECSClient(options)];
  const { KeyMetadata } = await kms.send(new CreateKeyCommand());
  const arn = KeyMetadata?.Arn ?? '';
  await ecs.send(
    new UpdateClusterCommand({ cluster, configuration: { executeCommandConfiguration: { kmsKeyId: arn } } }),
  );
  ecs.destroy();
  return { arn, kms, close: () => kms.destroy() };
};
