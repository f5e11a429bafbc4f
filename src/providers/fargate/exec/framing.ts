import * as z from 'zod/mini';
import { InvalidError } from '../../../core/errors.ts';
import { quoteWords } from './quote-words.ts';
import { wrapCommand } from './wrapper-script.ts';

/**
 * How a command runs in its session: within the wrapper, by the container's /bin/sh, or by itself where there is none.
 * Whoever has the session needs this to read what comes out of it.
 */
export interface Framing {
  readonly kind: 'wrapped' | 'direct';
  readonly tty: boolean;
  /** Whether the command reads the caller's input. */
  readonly stdin: boolean;
  /** Of the wrapper's records; unguessable. Empty where there is no wrapper. */
  readonly marker: string;
}

const schema = z.object({
  kind: z.enum(['wrapped', 'direct']),
  tty: z.boolean(),
  stdin: z.boolean(),
  marker: z.string().check(z.regex(/^[0-9a-f]{0,64}$/)),
});

/** A framing as a text that travels with its session, and back. */
export const formatFraming = (framing: Framing): string => JSON.stringify(framing);

/** @throws {InvalidError} where the text is no framing of this version. */
export const parseFraming = (text: string): Framing => {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new InvalidError("the framing of the session is not known here: use the plugin of the deployment's version", {
      cause,
    });
  }
};

/** The command line for ECS. @throws {InvalidError} for words that cannot be passed on. */
export const commandLine = (command: readonly string[], framing: Framing): string => {
  const odd = command.find((word) => word.includes('\0'));
  if (odd !== undefined) throw new InvalidError('command: a word holds a NUL byte, which no process can be given');
  if (framing.kind === 'direct') return quoteWords(command);
  if (command[0]?.startsWith('-') === true || command[0] === '')
    throw new InvalidError(`command: "${command[0]}" is no name of a program`);
  return quoteWords(wrapCommand(command, framing));
};
