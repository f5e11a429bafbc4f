import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import * as z from 'zod/mini';
import { addCredentialsCommand } from './commands/credentials.ts';

/** Runs the `svk` command with `argv` as Node gives it (interpreter and script first). */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('svk').description('A Kubernetes node with no machine behind it.');
  program
    .command('version')
    .description('print the version')
    .action(() => {
      process.stdout.write(`svk ${versionOf(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))}\n`);
    });
  const context = { environment: process.env, print: (line: string) => void process.stdout.write(`${line}\n`) };
  addCredentialsCommand(program, context);
  await program.parseAsync([...argv]);
}

function versionOf(manifest: string): string {
  return z.parse(z.object({ version: z.string() }), JSON.parse(manifest)).version;
}
