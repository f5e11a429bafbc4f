import { allNodes, type CommandNode, type FlagNode } from './command-tree.ts';

/** A completion script for bash; it needs nothing but bash. */
export const bashCompletion = (root: CommandNode): string => {
  const [program = ''] = root.path;
  const nodes = allNodes(root);
  return `# bash completion of ${program}
_${program}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path=${program} word
  # bash takes --flag=value for three words.
  if [[ $current == = ]]; then current=''; elif [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
${nodes
  .filter(({ path }) => path.length > 1)
  .map(({ path }) => `      ${quote(path.join(' '))}) path=${quote(path.join(' '))} ;;`)
  .join('\n')}
    esac
  done
  COMPREPLY=()
  case "$path $previous" in
${nodes.flatMap((node) => node.flags.flatMap((flag) => valueCase(node, flag))).join('\n')}
  esac
  case "$path" in
${nodes.map(wordsCase).join('\n')}
  esac
}
complete -F _${program} ${program}
`;
};

const valueCase = ({ path }: CommandNode, { names, value }: FlagNode): readonly string[] => {
  if (value.kind === 'none') return [];
  const pattern = names.map((name) => quote([...path, name].join(' '))).join('|');
  const words =
    value.kind === 'file'
      ? 'compgen -f -- "$current"'
      : `compgen -W ${quote(value.kind === 'choice' ? value.choices.join(' ') : '')} -- "$current"`;
  return [`    ${pattern}) mapfile -t COMPREPLY < <(${words}); return ;;`];
};

const wordsCase = ({ path, commands, flags, words }: CommandNode): string => {
  const all = [...commands.map((command) => command.path.at(-1)), ...words, ...flags.flatMap(({ names }) => names)];
  return `    ${quote(path.join(' '))}) mapfile -t COMPREPLY < <(compgen -W ${quote(all.join(' '))} -- "$current") ;;`;
};

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
