import { allNodes, type CommandNode, type FlagNode } from './command-tree.ts';

/** A completion script for fish. */
export const fishCompletion = (root: CommandNode): string => {
  const [program = ''] = root.path;
  const lines = allNodes(root).flatMap((node) => linesOf(program, node));
  return [`# fish completion of ${program}`, `complete -c ${program} -f`, ...lines, ''].join('\n');
};

const linesOf = (program: string, node: CommandNode): readonly string[] => {
  const [, ...above] = node.path;
  const below = node.commands.map(({ path }) => path.at(-1) ?? '');
  const here = [
    ...above.map((name) => `__fish_seen_subcommand_from ${name}`),
    ...(below.length === 0 ? [] : [`not __fish_seen_subcommand_from ${below.join(' ')}`]),
  ].join('; and ');
  const begin = `complete -c ${program}${here === '' ? '' : ` -n ${quote(here)}`}`;
  return [
    ...node.commands.map(({ path, description }) => `${begin} -a ${path.at(-1)} -d ${quote(description)}`),
    ...(node.words.length === 0 ? [] : [`${begin} -a ${quote(node.words.join(' '))}`]),
    ...node.flags.map((flag) => `${begin} ${flagOf(flag)}`),
  ];
};

const flagOf = ({ names, description, value }: FlagNode): string => {
  const parts = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  if (value.kind === 'choice') parts.push(`-x -a ${quote(value.choices.join(' '))}`);
  if (value.kind === 'text') parts.push('-x');
  if (value.kind === 'file') parts.push('-r -F');
  return [...parts, `-d ${quote(description)}`].join(' ');
};

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
