import { homedir } from 'node:os';
import { endWithReader } from './broken-pipe.ts';
import type { CommandLine } from './command-line.ts';
import { runSvk } from './run-svk.ts';

/** Runs the `svk` command with `argv` as Node gives it (interpreter and script first), and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  endWithReader(process);
  const line: CommandLine = {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    environment: process.env,
    home: homedir(),
  };
  let hasRun = false;
  process.exitCode = await runSvk(argv.slice(2), line, async (request) => {
    hasRun = true;
    // Loaded by this command only: the others answer at once.
    const { runNode } = await import('./run/run-node.ts');
    await runNode({ environment: line.environment, signal: untilToldToEnd() })(request);
  });
  // What was to end has ended. A plugin of the kubeconfig that hangs must not keep the process.
  if (hasRun) process.exit();
}

/** Aborts with the first SIGINT or SIGTERM; the second one ends the process. Other commands end with the first. */
function untilToldToEnd(): AbortSignal {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      // Who says it twice means it.
      if (ending.signal.aborted) process.exit(1);
      ending.abort(new Error(`told to end by ${name}`));
    });
  return ending.signal;
}
