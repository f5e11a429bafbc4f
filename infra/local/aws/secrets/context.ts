import type { Clock, Random } from '../../../../src/core/clock.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import { AwsError } from '../service-error.ts';
import type { Secret, SecretStore } from './secret-store.ts';

/** Everything the Secrets Manager actions share. */
export interface SecretsContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: SecretStore;
  readonly faults: FaultBoard;
}

/** @throws {AwsError} ResourceNotFoundException. */
export const knownSecret = ({ store }: SecretsContext, id: string | undefined): Secret => {
  const secret = store.find(id ?? '');
  if (!secret) throw secretNotFound();
  return secret;
};

/** @throws {AwsError} InvalidRequestException where it waits for its removal. */
export const usableSecret = (context: SecretsContext, id: string | undefined): Secret => {
  const secret = knownSecret(context, id);
  if (secret.deletedAt === undefined) return secret;
  throw new AwsError(
    'InvalidRequestException',
    "You can't perform this operation on the secret because it was marked for deletion.",
  );
};

const secretNotFound = (): AwsError =>
  new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
