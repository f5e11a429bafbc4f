import { Argument, Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import { formatted, outputOption } from './output.ts';

/** There is no provider of that name. */
export class UnknownProviderError extends Error {
  override readonly name = 'UnknownProviderError';
}

/** `svk providers [name]`: all of them, or whether there is that one. */
export const providersCommand = ({ out }: Pick<CommandLine, 'out'>, providers: readonly string[]): Command => {
  const names = [...providers].sort();
  const name = new Argument('[name]', 'print it if there is such a provider');
  name.argChoices = names;
  return new Command('providers')
    .description('list the providers, or look for one')
    .addArgument(name)
    .addOption(outputOption())
    .action((wanted: string | undefined, { output }: { readonly output: string }) => {
      if (wanted === undefined) return out(formatted(output, names, names.join('\n')));
      if (!names.includes(wanted))
        throw new UnknownProviderError(`there is no provider "${wanted}": there are ${names.join(', ')}`);
      return out(formatted(output, wanted, wanted));
    });
};
