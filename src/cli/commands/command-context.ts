import type { Command } from 'commander';
import { PermanentError, SvkError } from '../../core/errors.ts';

/** What a command is given from outside, so that a test can give something else. */
export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** One line on the standard output. */
  readonly print: (line: string) => void;
}

/** Runs `act`; what it refuses is said in one line on stderr, with exit code 1. Bugs keep their stack. */
export const orExplain = async (command: Command, act: () => Promise<void>): Promise<void> => {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof SvkError)) throw error;
    command.error(`svk: ${error.message}`, { exitCode: 1 });
  }
};

/** The region asked for, else the one of the environment, as every AWS tool has it. @throws {PermanentError} without one. */
export const regionOf = (option: string | undefined, { environment }: CommandContext): string => {
  const region = option ?? environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'];
  if (!region) throw new PermanentError('no region: give --region, or set AWS_REGION');
  return region;
};
