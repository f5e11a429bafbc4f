import { ActionService } from '../action-service.ts';
import type { Actions } from '../answer-for.ts';
import type { Throttles } from '../throttles.ts';
import type { SecretsContext } from './context.ts';
import { describeSecret, getSecretValue, listSecrets } from './read-secrets.ts';
import { createSecret, deleteSecret, putSecretValue } from './write-secrets.ts';

const actions: Actions<SecretsContext> = {
  CreateSecret: { bucket: 'secrets-write', run: createSecret },
  PutSecretValue: { bucket: 'secrets-write', run: putSecretValue },
  DeleteSecret: { bucket: 'secrets-write', run: deleteSecret },
  GetSecretValue: { bucket: 'secrets-read', run: getSecretValue },
  DescribeSecret: { bucket: 'secrets-read', run: describeSecret },
  ListSecrets: { bucket: 'secrets-list', run: listSecrets },
};

/** Secrets Manager, in memory. */
export class SecretsService extends ActionService<SecretsContext> {
  constructor(context: SecretsContext, throttles: Throttles) {
    super('secretsmanager', actions, context, throttles);
  }
}
