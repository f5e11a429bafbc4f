import type { Clock, Random } from '../../core/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Telemetry } from '../../ports/metrics.ts';
import type { ProviderFactory, Variables } from '../../ports/provider-factory.ts';

/** What a process is given besides its options. */
export interface RunMeans {
  readonly factory: ProviderFactory;
  /** The document of `--provider-config`; undefined without one. */
  readonly providerConfig: unknown;
  readonly environment: Variables;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
}
