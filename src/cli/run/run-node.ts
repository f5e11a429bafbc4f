import { SystemClock } from '../../adapters/system/system-clock.ts';
import { SystemRandom } from '../../adapters/system/system-random.ts';
import { openTelemetry } from '../../app/process/open-telemetry.ts';
import { runProcess } from '../../app/process/run-process.ts';
import { providerFactory } from '../../providers/registry.ts';
import type { CommandLine } from '../command-line.ts';
import type { Runner } from './run-command.ts';

/** Runs the node of one process until it is told to end. */
export const runNode =
  ({ environment, signal }: Pick<CommandLine, 'environment'> & { readonly signal: AbortSignal }): Runner =>
  async ({ options, provider, document, trace, logger }) => {
    const clock = new SystemClock();
    const { operatingSystem, nodeName, metrics } = options;
    const telemetry = await openTelemetry(
      { isMeasured: metrics !== undefined, trace, node: { operatingSystem, provider, nodeName } },
      { clock, logger, environment },
    );
    const means = { factory: providerFactory(provider), providerConfig: document, environment, clock };
    await runProcess(options, { ...means, random: new SystemRandom(), logger, telemetry }, signal);
  };
