import { given, type Parsed, refused } from './value.ts';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** virtual-kubelet's names. What is worse than an error ends the process here, and is logged as one. */
const NAMES: Readonly<Record<string, LogLevel>> = {
  panic: 'error',
  fatal: 'error',
  error: 'error',
  warn: 'warn',
  warning: 'warn',
  info: 'info',
  debug: 'debug',
  trace: 'debug',
};

/** Any of virtual-kubelet's levels; empty: `info`. */
export const parseLogLevel = (text: string): Parsed<LogLevel> => {
  const name = text === '' ? 'info' : text.toLowerCase();
  const level = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  return level === undefined ? refused(`must be one of ${Object.keys(NAMES).join(', ')}, not "${text}"`) : given(level);
};
