import { CommanderError } from 'commander';
import { SvkError } from '../../core/errors.ts';
import { endWithReader } from '../broken-pipe.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { createPlugin } from './program.ts';

/** Runs `kubectl svk` with `argv` as Node gives it, and sets the exit code: that of the remote command, where there is one. */
export async function main(argv: readonly string[]): Promise<void> {
  endWithReader(process);
  const leaving = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      if (leaving.signal.aborted) process.exit(EXIT.failure);
      leaving.abort(new Error(`told to end by ${name}`));
    });
  const program = createPlugin((code) => {
    process.exitCode = code;
  }, leaving.signal);
  try {
    program.exitOverride();
    for (const command of program.commands) command.exitOverride();
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = explain(error);
  }
}

const explain = (error: unknown): number => {
  // Help and faults of the command line are printed already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`kubectl svk: ${text}\n`);
  if (error instanceof UsageError) return EXIT.usage;
  return error instanceof SvkError && error.disposition === 'permanent' ? EXIT.configuration : EXIT.failure;
};
