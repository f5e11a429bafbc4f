import { parseDocument } from 'yaml';
import { PermanentError } from '../core/errors.ts';

/**
 * Reads the text of a `--provider-config` file, YAML or JSON; undefined where it is empty. What is in it is the provider's
 * to judge. @throws {PermanentError} naming every place where the text is neither.
 */
export const parseProviderConfig = (text: string, source: string): unknown => {
  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length > 0) {
    const lines = document.errors.map(({ linePos, message }) => {
      const [first = ''] = message.split(/ at line |\n/);
      return `  line ${linePos?.[0].line ?? '?'}: ${first}`;
    });
    throw new PermanentError(`${source} is neither YAML nor JSON:\n${lines.join('\n')}`);
  }
  const value: unknown = document.toJS();
  return value ?? undefined;
};
