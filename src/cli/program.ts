import { Command, Option } from 'commander';
import { SystemClock } from '../adapters/system/system-clock.ts';
import { parseProviderConfig } from '../providers/provider-config.ts';
import { registeredProviders } from '../providers/registry.ts';
import type { CommandLine } from './command-line.ts';
import { addCredentialsCommand } from './commands/credentials.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addManifestsCommand } from './commands/manifests.ts';
import { addRemoveCommand } from './commands/remove.ts';
import { completionCommand } from './completion/completion-command.ts';
import { UsageError } from './exit-codes.ts';
import { providersCommand } from './providers-command.ts';
import { type Runner, runCommand } from './run/run-command.ts';
import { LOG_LEVELS, parseLogLevel } from './values/log-level.ts';
import { versionCommand } from './version-command.ts';

/** Every command of `svk`. `run`: what `svk run` does once its flags are read. */
export const createProgram = (line: CommandLine, run: Runner): Command => {
  const providers = registeredProviders();
  const program = new Command('svk')
    .description('A Kubernetes node with no machine behind it.')
    .addOption(logLevel())
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 to be configured, 4 not ready in time.');
  program.addCommand(runCommand({ line, providers, clock: new SystemClock(), parseConfig: parseProviderConfig, run }));
  program.addCommand(versionCommand(line));
  program.addCommand(providersCommand(line, providers));
  program.addCommand(completionCommand(line));
  const context = { environment: line.environment, print: (text: string) => line.out(`${text}\n`) };
  addCredentialsCommand(program, context);
  addManifestsCommand(program, context);
  addDoctorCommand(program, context);
  addRemoveCommand(program, context);
  program.hook('preAction', (_, command) => {
    // `svk run` tells of it together with the other faults.
    if (command.name() !== 'run') checkLogLevel(program.opts<{ logLevel?: string }>().logLevel);
  });
  // Errors and help come to us, whatever command they are of.
  forEach(program, (command) => {
    command.exitOverride().configureOutput({ writeOut: line.out, writeErr: line.err, outputError: () => undefined });
    command.showHelpAfterError(false);
  });
  return program;
};

/** With the levels that are to be offered: virtual-kubelet's other names are taken as well. */
const logLevel = (): Option => {
  const option = new Option('--log-level <level>', 'least level that is logged');
  option.argChoices = [...LOG_LEVELS];
  return option;
};

const checkLogLevel = (text = ''): void => {
  const level = parseLogLevel(text);
  if (!level.ok) throw new UsageError(`--log-level ${level.message}`);
};

const forEach = (command: Command, act: (command: Command) => void): void => {
  act(command);
  for (const child of command.commands) forEach(child, act);
};
