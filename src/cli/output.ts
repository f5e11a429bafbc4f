import { Option } from 'commander';
import { UsageError } from './exit-codes.ts';

/** `-o json`, for commands that print facts. */
export const outputOption = (): Option => {
  const option = new Option('-o, --output <format>', 'form of the output: text or json').default('text');
  option.argChoices = ['text', 'json'];
  option.argParser((value) => {
    if (value !== 'text' && value !== 'json') throw new UsageError(`--output must be text or json, not "${value}"`);
    return value;
  });
  return option;
};

/** `text`, or `value` as JSON, with a line end. */
export const formatted = (format: string, value: unknown, text: string): string =>
  format === 'json' ? `${JSON.stringify(value)}\n` : `${text}\n`;
