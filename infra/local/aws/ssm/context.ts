import type { Clock } from '../../../../src/core/clock.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { ParameterStore } from './parameter-store.ts';

/** Everything the actions of Systems Manager share. */
export interface SsmContext {
  readonly clock: Clock;
  readonly store: ParameterStore;
  readonly sessions: Sessions;
  readonly faults: FaultBoard;
}
