import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type { LocalOptions } from './options.ts';

/** What the plugin tells its parent once, over the IPC channel. */
export type StartMessage =
  | { readonly kind: 'ready'; readonly lines: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string };

/** How long an orderly end may take: an engine needs a while to remove a hundred containers. */
const STOP_WITHIN_MS = 45_000;
const TAIL_LINES = 15;

/**
 * Runs `serverless offline start` until Ctrl-C, SIGTERM, or a failure; its own words go to `serverless.log` in the
 * directory. Answers the exit code: 0 where it was asked to end.
 */
export const runServerless = async (options: LocalOptions, settings: string | undefined): Promise<number> => {
  mkdirSync(options.directory, { recursive: true });
  const logFile = join(options.directory, 'serverless.log');
  const log = openSync(logFile, 'w');
  const child = spawnServerless(options, settings, log);
  let ending: 'asked' | 'failed' | undefined;
  const end = (why: 'asked' | 'failed'): void => {
    if (ending) return;
    ending = why;
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS).unref();
  };
  process.on('SIGINT', () => end('asked'));
  process.on('SIGTERM', () => end('asked'));
  child.on('message', (message: StartMessage) => {
    if (message.kind === 'ready') return process.stdout.write(`${message.lines.join('\n')}\n`);
    process.stderr.write(`svk: ${message.message}\n`);
    return end('failed');
  });
  await once(child, 'exit');
  closeSync(log);
  if (ending === 'asked') return 0;
  if (ending === undefined) process.stderr.write(`svk: ${lastWords(readFileSync(logFile, 'utf8'), logFile)}\n`);
  return 1;
};

/** Faults of the settings alone, where they ended it; else the end of its log. */
const lastWords = (log: string, logFile: string): string => {
  const faults = /Returned JS function errored with: (.* has \d+ faults?:(?:\n {2}.*)*)/.exec(log)?.[1];
  const tail = log.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  return faults ?? `serverless offline ended by itself; ${logFile} ends with:\n${tail}`;
};

/** A function is a thread, and each would set aside 48 MiB for new objects. */
const V8_FLAGS = ['--max-semi-space-size=1'];

const spawnServerless = (options: LocalOptions, settings: string | undefined, log: number): ChildProcess => {
  const { http, lambda } = options.ports;
  const argv = ['offline', 'start', '--httpPort', String(http), '--lambdaPort', String(lambda)];
  if (settings !== undefined) argv.push('--param', `settings=${relative('.', settings)}`);
  const serverless = createRequire(import.meta.url).resolve('serverless/bin/serverless.js');
  return spawn(process.execPath, [...V8_FLAGS, serverless, ...argv], {
    // Its own process group: Ctrl-C reaches us alone, and we end it in order.
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    env: {
      ...process.env,
      SVK_LOCAL: JSON.stringify(options),
      // An asynchronous invocation that throws must not end the whole process.
      NODE_OPTIONS: '--unhandled-rejections=warn',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      SLS_NOTIFICATIONS_MODE: 'off',
    },
  });
};
