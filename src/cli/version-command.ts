import { Command } from 'commander';
import { VERSION } from '../app/version.ts';
import type { CommandLine } from './command-line.ts';
import { formatted, outputOption } from './output.ts';

/** `svk version` */
export const versionCommand = ({ out }: Pick<CommandLine, 'out'>): Command =>
  new Command('version')
    .description('print the version')
    .addOption(outputOption())
    .action(({ output }: { readonly output: string }) => {
      const facts = { version: VERSION, node: process.version, platform: `${process.platform}/${process.arch}` };
      out(formatted(output, facts, `svk ${facts.version}, Node ${facts.node}, ${facts.platform}`));
    });
