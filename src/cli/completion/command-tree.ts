import type { Command, Option } from 'commander';

/** A command as a completion sees it. */
export interface CommandNode {
  /** Names from the root on: `svk`, `run`. */
  readonly path: readonly string[];
  readonly description: string;
  readonly commands: readonly CommandNode[];
  readonly flags: readonly FlagNode[];
  /** What its first argument may be. */
  readonly words: readonly string[];
}

export interface FlagNode {
  /** With dashes: `--nodename`, `-o`. */
  readonly names: readonly string[];
  readonly description: string;
  readonly value: FlagValue;
}

/** `none`: a switch. */
export type FlagValue =
  | { readonly kind: 'none' | 'file' | 'text' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] };

/** The tree below `command`, hidden commands and flags left out; the flags of those above count for each. */
export const commandTree = (
  command: Command,
  above: { path: readonly string[]; flags: readonly FlagNode[] } = TOP,
): CommandNode => {
  const path = [...above.path, command.name()];
  const own = command.options.filter(({ hidden }) => !hidden).map(flagNode);
  const inherited = [...above.flags, ...own];
  return {
    path,
    description: command.description(),
    flags: inherited,
    commands: command.commands.map((child) => commandTree(child, { path, flags: inherited })),
    words: command.registeredArguments[0]?.argChoices ?? [],
  };
};

const HELP: FlagNode = { names: ['-h', '--help'], description: 'print the help', value: { kind: 'none' } };
const TOP = { path: [], flags: [HELP] };

const flagNode = (option: Option): FlagNode => ({
  names: [option.short, option.long].filter((name) => name !== undefined),
  description: option.description,
  value: valueOf(option),
});

const valueOf = ({ argChoices, required, flags }: Option): FlagValue => {
  if (argChoices) return { kind: 'choice', choices: argChoices };
  if (!required) return { kind: 'none' };
  return { kind: flags.endsWith('<file>') ? 'file' : 'text' };
};

/** The command and everything below it. */
export const allNodes = (node: CommandNode): readonly CommandNode[] => [node, ...node.commands.flatMap(allNodes)];
