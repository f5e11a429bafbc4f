import { InvalidError } from '../../../core/errors.ts';
import { SHELL } from './wrapper-script.ts';

/** The image has no /bin/sh that would run the wrapper. */
export class NoShellError extends InvalidError {}

/**
 * The error in what an agent says at the end of a session whose command did not start; undefined where it says nothing
 * of the kind.
 */
export const startFailureOf = (output: string): InvalidError | undefined => {
  const [, reason] = /Unable to start command: (?:Failed to start pty: )?([^\n]*)/.exec(output) ?? [];
  if (reason === undefined) return undefined;
  const text = `the command cannot be started: ${reason}`;
  return reason.includes(SHELL) ? new NoShellError(text) : new InvalidError(text);
};
