import { GetParameterCommand, PutParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { InvalidError } from '../../core/errors.ts';
import { awsError } from '../aws/errors.ts';

/** What Parameter Store takes at most, in its advanced tier. */
const MAX_CHARACTERS = 8192;

/** Parameters as an operator reads and writes them, with the operator's own AWS credentials. */
export class OperatorParameters {
  readonly #client: Pick<SSMClient, 'send'>;

  constructor(client: Pick<SSMClient, 'send'>) {
    this.#client = client;
  }

  /** Decrypted; undefined where there is none. */
  async find(name: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const command = new GetParameterCommand({ Name: name, WithDecryption: true });
      return (await this.#client.send(command, { abortSignal: signal })).Parameter?.Value;
    } catch (error) {
      if (error instanceof Error && error.name === 'ParameterNotFound') return undefined;
      throw awsError(error, { doing: `read SSM parameter ${name}` });
    }
  }

  /**
   * Stores a SecureString, over one that is there. Intelligent-Tiering: a kubeconfig of kubeadm exceeds the 4 KB that are
   * free of charge. @throws {InvalidError} above 8 KB.
   */
  async putSecret(name: string, value: string, description: string, signal: AbortSignal): Promise<void> {
    if (value.length > MAX_CHARACTERS)
      throw new InvalidError(
        `SSM parameter ${name} would hold ${value.length} characters and takes ${MAX_CHARACTERS}: ` +
          'leave out what is not needed, such as further certificates in certificate-authority-data',
      );
    const command = new PutParameterCommand({
      Name: name,
      Value: value,
      Description: description,
      Type: 'SecureString',
      Tier: 'Intelligent-Tiering',
      Overwrite: true,
    });
    try {
      await this.#client.send(command, { abortSignal: signal });
    } catch (error) {
      throw awsError(error, { doing: `write SSM parameter ${name}` });
    }
  }
}
