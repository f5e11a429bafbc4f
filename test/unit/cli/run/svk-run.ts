import type { Runner } from '../../../../src/cli/run/run-command.ts';
import { runSvk } from '../../../../src/cli/run-svk.ts';

/** What one command line came to. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** What `svk run` was about to do; undefined where it did not come to that. */
  readonly request: Parameters<Runner>[0] | undefined;
}

/** Runs `svk` with these words, up to the point where a node would start. */
export const svk = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  run: Runner = () => Promise.resolve(),
): Promise<Outcome> => {
  let out = '';
  let err = '';
  let request: Outcome['request'];
  const line = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    environment,
    home: '/home/ann',
  };
  const code = await runSvk(args, line, async (given) => {
    request = given;
    await run(given);
  });
  return { code, out, err, request };
};

/** `svk run` with the mock and these flags. */
export const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
  svk(['run', '--provider', 'mock', ...args], environment);
