import type { Clock } from '../../../../src/core/clock.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import { AwsError, invalidParameter } from '../service-error.ts';
import type { LogGroup, LogStore, LogStream } from './log-store.ts';

/** Everything the CloudWatch Logs actions share. */
export interface LogsContext {
  readonly region: string;
  readonly accountId: string;
  readonly clock: Clock;
  readonly store: LogStore;
  readonly faults: FaultBoard;
}

/** A page never holds more bytes than this; each event counts with 26 bytes of its own. */
export const maxPageBytes = 1_048_576;

export const sizeOf = ({ message }: { readonly message: string }): number => Buffer.byteLength(message) + 26;

/** @throws {AwsError} ResourceNotFoundException. */
export const knownGroup = ({ store }: LogsContext, name: string | undefined, identifier?: string): LogGroup => {
  if (!name && !identifier) throw invalidParameter("1 validation error detected: 'logGroupName' must not be null");
  const group = store.group(name ?? identifier ?? '');
  if (!group) throw new AwsError('ResourceNotFoundException', 'The specified log group does not exist.');
  return group;
};

/** @throws {AwsError} ResourceNotFoundException. */
export const knownStream = (group: LogGroup, name: string | undefined): LogStream => {
  if (!name) throw invalidParameter("1 validation error detected: 'logStreamName' must not be null");
  const stream = group.streams.get(name);
  if (!stream) throw new AwsError('ResourceNotFoundException', 'The specified log stream does not exist.');
  return stream;
};

export const arnOfGroup = ({ region, accountId }: LogsContext, name: string): string =>
  `arn:aws:logs:${region}:${accountId}:log-group:${name}`;
