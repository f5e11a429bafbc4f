import { parseDocument } from 'yaml';
import { PermanentError } from '../core/errors.ts';
import { type Providers, parseSettings, type Settings } from './settings.ts';

/**
 * Reads the text of a settings file. Apart from {@link parseSettings} so that functions, which get JSON, carry no YAML
 * reader. @throws {PermanentError} whose message lists every fault, of the YAML or of the settings, with its place.
 */
export const parseSettingsYaml = <P>(text: string, providers: Providers<P>, source = 'settings.yml'): Settings<P> => {
  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length > 0) {
    const lines = document.errors.map(({ linePos, message }) => {
      const [first = ''] = message.split(/ at line |\n/);
      return `  line ${linePos?.[0].line ?? '?'}: ${first}`;
    });
    throw new PermanentError(`${source} is not YAML:\n${lines.join('\n')}`);
  }
  const value: unknown = document.toJS();
  return parseSettings(value, providers, source);
};
