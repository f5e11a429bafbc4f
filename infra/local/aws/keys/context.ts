import type { Clock } from '../../../../src/core/clock.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import { AwsError } from '../service-error.ts';
import type { Key, KeyStore } from './key-store.ts';

/** Everything the actions of KMS share. */
export interface KeysContext {
  readonly accountId: string;
  readonly clock: Clock;
  readonly store: KeyStore;
  readonly faults: FaultBoard;
}

/** @throws {AwsError} NotFoundException. */
export const knownKey = ({ store }: KeysContext, idOrArn: string | undefined): Key => {
  const key = store.find(idOrArn ?? '');
  if (!key) throw new AwsError('NotFoundException', `Key '${store.arnOf(idOrArn ?? '')}' does not exist`);
  return key;
};

/** @throws {AwsError} DisabledException too. */
export const usableKey = (context: KeysContext, idOrArn: string | undefined): Key => {
  const key = knownKey(context, idOrArn);
  if (!key.isEnabled) throw new AwsError('DisabledException', `${key.arn} is disabled.`);
  return key;
};

/** @throws {AwsError} AccessDeniedException where the fault `access-denied` names this action. */
export const checkAllowed = ({ faults, accountId }: KeysContext, action: string): void => {
  if (!faults.take('access-denied', (fault) => fault.action === action)) return;
  throw new AwsError(
    'AccessDeniedException',
    `User: arn:aws:sts::${accountId}:assumed-role/local/local is not authorized to perform: kms:${action} because no identity-based policy allows the kms:${action} action`,
  );
};
