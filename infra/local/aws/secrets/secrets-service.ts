import { answerFor } from '../answer-for.ts';
import type { BucketName, Throttles } from '../throttles.ts';
import type { SecretsContext } from './context.ts';
import { describeSecret, getSecretValue, listSecrets } from './read-secrets.ts';
import { createSecret, deleteSecret, putSecretValue } from './write-secrets.ts';

interface Action {
  readonly bucket: BucketName;
  readonly run: (context: SecretsContext, input: unknown) => unknown;
}

const actions: Readonly<Record<string, Action>> = {
  CreateSecret: { bucket: 'secrets-write', run: createSecret },
  PutSecretValue: { bucket: 'secrets-write', run: putSecretValue },
  DeleteSecret: { bucket: 'secrets-write', run: deleteSecret },
  GetSecretValue: { bucket: 'secrets-read', run: getSecretValue },
  DescribeSecret: { bucket: 'secrets-read', run: describeSecret },
  ListSecrets: { bucket: 'secrets-list', run: listSecrets },
};

/** Secrets Manager, in memory. */
export class SecretsService {
  readonly #context: SecretsContext;
  readonly #throttles: Throttles;

  constructor(context: SecretsContext, throttles: Throttles) {
    this.#context = context;
    this.#throttles = throttles;
  }

  /** @throws {AwsError | NoAnswer} as the ECS service does. */
  handle(action: string, input: unknown): Promise<unknown> {
    const { faults } = this.#context;
    const call = { faults, throttles: this.#throttles, actions, context: this.#context, input };
    return answerFor('secretsmanager', action, call);
  }
}
