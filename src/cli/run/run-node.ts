import { SystemClock } from '../../adapters/system/system-clock.ts';
import { SystemRandom } from '../../adapters/system/system-random.ts';
import { QUIET_TELEMETRY } from '../../app/process/quiet-telemetry.ts';
import { runProcess } from '../../app/process/run-process.ts';
import { providerFactory } from '../../providers/registry.ts';
import type { CommandLine } from '../command-line.ts';
import type { Runner } from './run-command.ts';

/** Runs the node of one process until it is told to end. */
export const runNode =
  ({ environment, signal }: Pick<CommandLine, 'environment' | 'signal'>): Runner =>
  ({ options, provider, document, logger }) =>
    runProcess(
      options,
      {
        factory: providerFactory(provider),
        providerConfig: document,
        environment,
        clock: new SystemClock(),
        random: new SystemRandom(),
        logger,
        telemetry: QUIET_TELEMETRY,
      },
      signal,
    );
