import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { SystemRandom } from '../../../src/adapters/system/system-random.ts';
import type { Clock, Random } from '../../../src/core/clock.ts';
import type { TaskRuntime } from '../runtimes/runtime.ts';
import { type Delays, localDelays } from './delays.ts';
import type { Quotas } from './ecs/context.ts';
import { EcsService } from './ecs/ecs-service.ts';
import type { EventListener } from './ecs/event-bus.ts';
import { FaultBoard } from './faults/fault-board.ts';
import { KeyStore } from './keys/key-store.ts';
import { KeysService } from './keys/keys-service.ts';
import { LogStore } from './logs/log-store.ts';
import { LogsService } from './logs/logs-service.ts';
import { SecretStore } from './secrets/secret-store.ts';
import { SecretsService } from './secrets/secrets-service.ts';
import { Sessions } from './sessions/sessions.ts';
import { ParameterStore } from './ssm/parameter-store.ts';
import { SsmService } from './ssm/ssm-service.ts';
import { type ThrottleSettings, Throttles } from './throttles.ts';
import { Timers } from './timers.ts';

export interface ServicesOptions {
  readonly region: string;
  readonly accountId?: string;
  readonly runtime: TaskRuntime;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Changes to {@link localDelays}. */
  readonly delays?: Partial<Delays>;
  /** AWS's own buckets unless changed. */
  readonly throttles?: ThrottleSettings;
  /** vCPUs that may run at once; without limit unless set. */
  readonly quotas?: Partial<Quotas>;
  /** Container Insights measures so often; a minute unless set, as AWS's does. */
  readonly insightsPeriodMs?: number;
  /** Gets EventBridge events: at least once, and out of order where a fault says so. */
  readonly onEvent?: EventListener;
}

/** ECS, CloudWatch Logs, Parameter Store, Secrets Manager and KMS of one account and region, without a server. */
export interface AwsServices {
  readonly faults: FaultBoard;
  readonly ecs: EcsService;
  readonly logs: LogsService;
  readonly ssm: SsmService;
  readonly secrets: SecretsService;
  readonly keys: KeysService;
  /** What ExecuteCommand has begun. */
  readonly sessions: Sessions;
  /** Ends all tasks and the runtime. */
  close(): Promise<void>;
}

/** Makes the services share their stores and one set of faults. */
export const createAwsServices = (options: ServicesOptions): AwsServices => {
  const { region, runtime, accountId = '123456789012', onEvent = () => {}, insightsPeriodMs = 60_000 } = options;
  const { clock = new SystemClock(), random = new SystemRandom() } = options;
  const faults = new FaultBoard(() => clock.now());
  const throttles = new Throttles(options.throttles ?? {}, () => clock.now());
  const store = new LogStore(clock);
  const parameters = new ParameterStore(region, accountId);
  const secrets = new SecretStore(region, accountId, random);
  const timers = new Timers(clock);
  const keys = { accountId, clock, faults, store: new KeyStore(region, accountId, random) };
  const sessions = new Sessions({ region, clock, random, faults, timers, keys });
  const ecs = new EcsService({
    region,
    accountId,
    clock,
    random,
    delays: { ...localDelays, ...options.delays },
    faults,
    throttles,
    quotas: { onDemandVcpu: Number.POSITIVE_INFINITY, spotVcpu: Number.POSITIVE_INFINITY, ...options.quotas },
    runtime,
    logs: store,
    parameters,
    secrets,
    sessions,
    onEvent,
    insightsPeriodMs,
  });
  return {
    faults,
    ecs,
    logs: new LogsService({ region, accountId, clock, store, faults }, throttles),
    ssm: new SsmService({ clock, store: parameters, sessions, faults }, throttles),
    keys: new KeysService(keys, throttles),
    secrets: new SecretsService({ clock, random, store: secrets, faults }, throttles),
    sessions,
    close: async () => {
      sessions.close();
      timers.close();
      // Together: what waits for a container to end would wait for its stop time-out otherwise.
      await Promise.all([ecs.close(), runtime.close()]);
    },
  };
};
