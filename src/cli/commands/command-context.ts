import { PermanentError } from '../../core/errors.ts';

/** What a command is given from outside, so that a test can give something else. */
export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** One line on the standard output. */
  readonly print: (line: string) => void;
}

/** The region asked for, else the one of the environment, as every AWS tool has it. @throws {PermanentError} without one. */
export const regionOf = (option: string | undefined, { environment }: CommandContext): string => {
  const region = option ?? environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'];
  if (!region) throw new PermanentError('no region: give --region, or set AWS_REGION');
  return region;
};
