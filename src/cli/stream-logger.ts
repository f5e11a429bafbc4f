import { redactFields } from '../adapters/telemetry/redact.ts';
import type { Clock } from '../core/clock.ts';
import type { LogFields, Logger } from '../ports/logger.ts';
import { LOG_LEVELS, type LogLevel } from './values/log-level.ts';

export type LogFormat = 'text' | 'json';

export interface StreamLoggerOptions {
  readonly write: (line: string) => void;
  readonly clock: Clock;
  readonly level: LogLevel;
  readonly format: LogFormat;
}

/** The log of a command: a line for each entry, as `key=value` or as JSON. Fields are redacted on their way. */
export class StreamLogger implements Logger {
  readonly #options: StreamLoggerOptions;

  constructor(options: StreamLoggerOptions) {
    this.#options = options;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#log('error', message, fields);
  }

  #log(level: LogLevel, message: string, fields: LogFields = {}): void {
    const { write, clock, level: least, format } = this.#options;
    if (LOG_LEVELS.indexOf(level) > LOG_LEVELS.indexOf(least)) return;
    const entry = { time: new Date(clock.now()).toISOString(), level, msg: message, ...redactFields(fields) };
    write(format === 'json' ? `${JSON.stringify(entry)}\n` : `${pairs(entry)}\n`);
  }
}

const pairs = (entry: Readonly<Record<string, unknown>>): string =>
  Object.entries(entry)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${textOf(value)}`)
    .join(' ');

const textOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\w.:/@+-]+$/.test(text) ? text : JSON.stringify(text);
};
