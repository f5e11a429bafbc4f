import { Argument, Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { UsageError } from '../exit-codes.ts';
import { bashCompletion } from './bash.ts';
import { type CommandNode, commandTree } from './command-tree.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const SHELLS: Readonly<Record<string, (root: CommandNode) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** `svk completion SHELL`: a script made from the commands as they are. */
export const completionCommand = ({ out }: Pick<CommandLine, 'out'>): Command => {
  const shell = new Argument('<shell>', 'bash, zsh or fish');
  shell.argChoices = Object.keys(SHELLS);
  return new Command('completion')
    .description('print a completion script for a shell')
    .addArgument(shell)
    .addHelpText('after', '\nFor bash: source <(svk completion bash)')
    .action((name: string, _options: unknown, command: Command) => {
      const script = Object.hasOwn(SHELLS, name) ? SHELLS[name] : undefined;
      if (!script) throw new UsageError(`the shell must be ${Object.keys(SHELLS).join(', ')}, not "${name}"`);
      out(script(commandTree(rootOf(command))));
    });
};

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);
