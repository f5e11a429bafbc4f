import type { Clock, Random } from '../../../../src/core/clock.ts';
import type { TaskRuntime } from '../../runtimes/runtime.ts';
import type { Delays } from '../delays.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { MetadataEndpoints } from '../metadata/metadata-endpoints.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { ParameterStore } from '../ssm/parameter-store.ts';
import type { Throttles } from '../throttles.ts';
import type { Timers } from '../timers.ts';
import type { Agents } from './agent/agents.ts';
import type { Arns } from './arn.ts';
import type { ClusterStore } from './cluster-store.ts';
import type { DefinitionStore } from './definitions/definition-store.ts';
import type { EventBus } from './event-bus.ts';
import type { IdempotencyStore } from './tasks/idempotency.ts';
import type { TaskStore } from './tasks/task-store.ts';

/** Everything the ECS actions share. */
export interface EcsContext {
  readonly region: string;
  readonly accountId: string;
  readonly arns: Arns;
  readonly clock: Clock;
  readonly random: Random;
  readonly delays: Delays;
  readonly faults: FaultBoard;
  readonly throttles: Throttles;
  readonly quotas: Quotas;
  readonly clusters: ClusterStore;
  readonly definitions: DefinitionStore;
  /** Families of which a revision is being made just now. */
  readonly registering: Set<string>;
  readonly tasks: TaskStore;
  readonly tokens: IdempotencyStore;
  readonly events: EventBus;
  readonly agents: Agents;
  readonly runtime: TaskRuntime;
  readonly logs: LogStore;
  readonly parameters: ParameterStore;
  readonly secrets: SecretStore;
  readonly sessions: Sessions;
  readonly metadata: MetadataEndpoints;
  readonly timers: Timers;
  /** Container Insights; measures from the first start on. */
  readonly insights: { start(): void };
}

/** vCPUs that may run at once; a new AWS account has 6 of each. */
export interface Quotas {
  readonly onDemandVcpu: number;
  readonly spotVcpu: number;
}
