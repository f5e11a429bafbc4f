import type { Clock } from '../../../../src/core/clock.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import type { ParameterStore } from './parameter-store.ts';

/** Everything the Parameter Store actions share. */
export interface SsmContext {
  readonly clock: Clock;
  readonly store: ParameterStore;
  readonly faults: FaultBoard;
}
