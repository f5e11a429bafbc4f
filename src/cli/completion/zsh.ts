import { allNodes, type CommandNode, type FlagNode } from './command-tree.ts';

/** A completion script for zsh: a file `_svk` on the `fpath`, or something to source after `compinit`. */
export const zshCompletion = (root: CommandNode): string => {
  const [program = ''] = root.path;
  return `#compdef ${program}
${allNodes(root).map(functionOf).join('\n')}
if [ "$funcstack[1]" = "_${program}" ]; then
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`;
};

const functionOf = (node: CommandNode): string => {
  const flags = node.flags.flatMap(specsOf).map((spec) => `    ${spec} \\`);
  if (node.commands.length === 0) {
    const words = node.words.length === 0 ? [] : [`    '1:name:(${node.words.join(' ')})' \\`];
    return `${nameOf(node)}() {
  _arguments -s \\
${[...flags, ...words].join('\n')}
    && return 0
}`;
  }
  const commands = node.commands.map(
    ({ path, description }) => `      ${quote(`${escape(path.at(-1) ?? '')}:${description}`)}`,
  );
  const calls = node.commands.map((child) => `        ${child.path.at(-1)}) ${nameOf(child)} ;;`);
  return `${nameOf(node)}() {
  local line state
  _arguments -C -s \\
${flags.join('\n')}
    '1: :->command' '*::arg:->arguments'
  case "$state" in
    command)
      local -a commands=(
${commands.join('\n')}
      )
      _describe command commands ;;
    arguments)
      case "$line[1]" in
${calls.join('\n')}
      esac ;;
  esac
}`;
};

const nameOf = ({ path }: CommandNode): string => `_${path.join('_')}`;

const specsOf = ({ names, description, value }: FlagNode): readonly string[] => {
  const text = description.replaceAll(/[[\]]/g, '\\$&');
  return names.map((name) => quote(`*${name}[${text}]${ACTIONS(value)}`));
};

const ACTIONS = (value: FlagNode['value']): string => {
  switch (value.kind) {
    case 'none':
      return '';
    case 'file':
      return ':file:_files';
    case 'text':
      return ':value: ';
    case 'choice':
      return `:value:(${value.choices.join(' ')})`;
    default:
      return value satisfies never;
  }
};

const escape = (text: string): string => text.replaceAll(':', '\\:');
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
