import { CommanderError } from 'commander';
import { dispositionOf, SvkError } from '../core/errors.ts';
import type { CommandLine } from './command-line.ts';
import { EXIT, UsageError } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { UnknownProviderError } from './providers-command.ts';
import type { Runner } from './run/run-command.ts';

/** Runs one command line, without interpreter and script. Answers the exit code; what went wrong is on `line.err`. */
export const runSvk = async (args: readonly string[], line: CommandLine, run: Runner): Promise<number> => {
  try {
    await createProgram(line, run).parseAsync([...args], { from: 'user' });
    return EXIT.success;
  } catch (error) {
    return explain(error, line);
  }
};

const explain = (error: unknown, { err }: CommandLine): number => {
  if (error instanceof CommanderError) {
    // Help and version are answers; `commander.error` is a command's own, with its own code.
    if (error.exitCode === 0) return EXIT.success;
    err(error.message.startsWith('svk: ') ? `${error.message}\n` : `svk: ${withoutPrefix(error.message)}\n`);
    return error.code === 'commander.error' ? error.exitCode : EXIT.usage;
  }
  if (error instanceof UsageError) {
    for (const fault of error.message.split('\n')) err(`svk: ${fault}\n`);
    return EXIT.usage;
  }
  if (error instanceof UnknownProviderError) {
    err(`svk: ${error.message}\n`);
    return EXIT.failure;
  }
  if (error instanceof SvkError) {
    err(`svk: ${error.message}\n`);
    return isLate(error)
      ? EXIT.startupTimeout
      : dispositionOf(error) === 'permanent'
        ? EXIT.configuration
        : EXIT.failure;
  }
  err(`svk: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return EXIT.failure;
};

/** By its name: its class is loaded by `svk run` only. */
const isLate = ({ name }: SvkError): boolean => name === 'StartupTimeoutError';

const withoutPrefix = (message: string): string => message.replace(/^error: /, '');
