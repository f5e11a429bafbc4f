import * as z from 'zod/mini';
import { StartFailure } from '../runtime.ts';

/** One thing a simulated container does. */
export type Step =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'exit'; readonly exitCode?: number; readonly reason?: string }
  | { readonly kind: 'loop' };

/** What a simulated container does, from pull to end. */
export interface Script {
  /** What it uses while it runs. */
  readonly use?: { readonly cores: number; readonly memoryMiB: number };
  readonly pullMs: number;
  readonly pullError?: string;
  readonly startError?: string;
  readonly steps: readonly Step[];
  /** What it does on SIGTERM; undefined where it takes no notice. */
  readonly onTerminate?: { readonly afterMs: number; readonly exitCode: number };
  /** What health checks find, by time since the start: the last entry that has begun counts. */
  readonly health: readonly { readonly fromMs: number; readonly exitCode: number }[];
}

/** Docker's words for what goes wrong with a pull. */
export const pullErrors: Readonly<Record<string, (image: string) => string>> = {
  'not-found': (image) => `failed to resolve ref ${image}: ${image}: not found`,
  'access-denied': (image) =>
    `pull access denied for ${image}, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
  'no-auth': (image) =>
    `failed to resolve ref ${image}: pulling from host failed with status code: no basic auth credentials`,
  'rate-limit': () => 'toomanyrequests: You have reached your pull rate limit',
  timeout: (image) => `failed to resolve ref ${image}: failed to do request: dial tcp: i/o timeout`,
  'no-space': () => 'failed to extract layer: no space left on device',
  'invalid-reference': (image) => `invalid reference format: ${image}`,
};

const idle: Script = {
  pullMs: 0,
  steps: [],
  onTerminate: { afterMs: 0, exitCode: 143 },
  health: [{ fromMs: 0, exitCode: 0 }],
};

/**
 * Reads `run 2s; log hello; exit 3`, or a JSON array of such statements. Statements, each once unless it is a step:
 * steps `run TIME` (or `wait TIME`), `log TEXT`, `exit CODE`, `exit lost`, `oom`, `loop` (from the first step again);
 * `pull TIME`, `pull-error NAME`, `start-error TEXT`, `ignore-term`, `on-term TIME exit CODE`,
 * `health healthy|unhealthy [after TIME]`, `use CORES MIB`. TIME is `250ms`, `2s` or `5m`. Without `exit` it runs until it is stopped.
 * @throws {StartFailure} naming the statement that cannot be read.
 */
export const parseScript = (text: string): Script => statementsOf(text).reduce(read, idle);

const statementsOf = (text: string): readonly string[] => {
  const trimmed = text.trim();
  const statements = trimmed.startsWith('[') ? parseList(trimmed) : trimmed.split(/[;\n]/);
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
};

const parseList = (text: string): readonly string[] => {
  try {
    return z.parse(z.array(z.string()), JSON.parse(text));
  } catch {
    throw unreadable(text);
  }
};

const read = (script: Script, statement: string): Script => {
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(statement) ?? [];
  const step = (next: Step): Script => ({ ...script, steps: [...script.steps, next] });
  switch (word) {
    case 'run':
    case 'wait':
      return step({ kind: 'wait', ms: timeOf(rest, statement) });
    case 'log':
      return step({ kind: 'print', text: `${rest}\n` });
    case 'exit':
      return step({ kind: 'exit', ...(rest !== 'lost' && { exitCode: codeOf(rest || '0', statement) }) });
    case 'oom':
      return step({ kind: 'exit', exitCode: 137, reason: 'OutOfMemoryError: Container killed due to memory usage' });
    case 'loop':
      if (!script.steps.some((earlier) => earlier.kind === 'wait' && earlier.ms > 0)) throw unreadable(statement);
      return step({ kind: 'loop' });
    case 'pull':
      return { ...script, pullMs: timeOf(rest, statement) };
    case 'pull-error':
      return { ...script, pullError: rest };
    case 'start-error':
      return { ...script, startError: rest };
    case 'use':
      return { ...script, use: useOf(rest, statement) };
    case 'ignore-term': {
      const { onTerminate: _, ...others } = script;
      return others;
    }
    case 'on-term':
      return { ...script, onTerminate: terminationOf(rest, statement) };
    case 'health':
      return { ...script, health: [...script.health, healthOf(rest, statement)] };
    default:
      throw unreadable(statement);
  }
};

const terminationOf = (rest: string, statement: string): { readonly afterMs: number; readonly exitCode: number } => {
  const match = /^(?:(\S+)\s+)?exit\s+(\d+)$/.exec(rest);
  if (!match) throw unreadable(statement);
  return {
    afterMs: match[1] === undefined ? 0 : timeOf(match[1], statement),
    exitCode: codeOf(match[2] ?? '', statement),
  };
};

const useOf = (rest: string, statement: string): NonNullable<Script['use']> => {
  const match = /^(\d+(?:\.\d+)?)\s+(\d+(?:\.\d+)?)$/.exec(rest);
  if (!match) throw unreadable(statement);
  return { cores: Number(match[1]), memoryMiB: Number(match[2]) };
};

const healthOf = (rest: string, statement: string): { readonly fromMs: number; readonly exitCode: number } => {
  const match = /^(healthy|unhealthy)(?:\s+after\s+(\S+))?$/.exec(rest);
  if (!match) throw unreadable(statement);
  return {
    fromMs: match[2] === undefined ? 0 : timeOf(match[2], statement),
    exitCode: match[1] === 'healthy' ? 0 : 1,
  };
};

const timeOf = (text: string, statement: string): number => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text.trim());
  if (!match) throw unreadable(statement);
  return Number(match[1]) * (match[2] === 'ms' ? 1 : match[2] === 's' ? 1000 : 60_000);
};

const codeOf = (text: string, statement: string): number => {
  const code = Number(text);
  if (!/^\d+$/.test(text) || code > 255) throw unreadable(statement);
  return code;
};

const unreadable = (statement: string): StartFailure =>
  new StartFailure(`CannotStartContainerError: SVK_SIMULATE cannot be read at "${statement}"`);
