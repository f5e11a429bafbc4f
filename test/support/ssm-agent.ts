import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { SystemRandom } from '../../src/adapters/system/system-random.ts';
import { createKeysApi, type KeysApi } from '../../src/providers/fargate/aws/keys-api.ts';
import { commandLine, type Framing } from '../../src/providers/fargate/exec/framing.ts';
import { runSession } from '../../src/providers/fargate/exec/run-session.ts';
import { sessionDataKey } from '../../src/providers/fargate/exec/session-key.ts';
import type { DataKeySource } from '../../src/streaming/ssm/data-key.ts';
import { openWebSocketLink } from '../../src/streaming/ssm/web-socket-link.ts';
import { type ExecStreamsOptions, execStreams } from './exec-streams.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** The folder of `unpack`, which prints where the official agent is, and of the relay that stands for the service. */
const { SSM_ASSETS: assets = '../shared/ssm', ...environment } = process.env;
const ASSETS = path.resolve(ROOT, assets);

/** Is the official agent here? In CI it must be. */
export const hasAgent: boolean = existsSync(path.join(ASSETS, 'unpack')) || process.env['CI'] === 'true';

const clusterArn = 'arn:aws:ecs:us-east-1:123456789012:cluster/pods';
const workloadId = 'arn:aws:ecs:us-east-1:123456789012:task/pods/0123456789abcdef0123456789abcdef';
const runtimeId = '0123456789abcdef0123456789abcdef-0123456789';
const TARGET = 'ecs:pods_0123456789abcdef0123456789abcdef_0123456789abcdef0123456789abcdef-0123456789';

export interface AgentOptions extends ExecStreamsOptions {
  /** Options of the relay, as `--drop 20`. */
  readonly relay?: readonly string[];
  /** Options of the agent, as `-handshake`. */
  readonly agent?: readonly string[];
  /** In front of the command line, as `env PATH=…`. */
  readonly prefix?: string;
  readonly kind?: Framing['kind'];
  /** The agent encrypts the session with this key of the relay's KMS. */
  readonly kmsKey?: string;
  /** Another endpoint of KMS for the agent, or for us. */
  readonly kmsEndpoint?: { readonly agent?: string; readonly client?: string };
  readonly signal?: AbortSignal;
}

export interface AgentSession {
  /** The exit code, or the error's class and message. */
  readonly exit: number | string;
  readonly out: Buffer;
  readonly err: Buffer;
}

/** Runs a command by the official agent behind the relay, and our client in front of it. */
export const withAgent = async (command: readonly string[], options: AgentOptions = {}): Promise<AgentSession> => {
  const { relay = [], agent = [], prefix = '', kind = 'wrapped', tty = false, input } = options;
  const gateway = spawn(process.execPath, [path.join(ASSETS, 'relay.mjs'), ...relay], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: ROOT,
  });
  onTestFinished(() => void gateway.kill());
  const url = await urlOf(gateway.stdout);
  const session = `ecs-execute-command-${randomUUID()}`;
  const marker = kind === 'wrapped' ? randomUUID().replaceAll('-', '') : '';
  const framing = { kind, tty, stdin: input !== undefined, marker };
  const line = prefix + commandLine(command, framing);
  const bin = execFileSync(path.join(ASSETS, 'unpack'), { encoding: 'utf8', env: environment }).trim();
  const kms = kmsOf(url, options);
  const process_ = spawn(
    path.join(bin, 'ssm-session-agent'),
    ['-url', url, '-session', session, '-target', TARGET, '-log', 'off', '-command', line, ...kms.agent, ...agent],
    { stdio: 'ignore' },
  );
  onTestFinished(() => void process_.kill('SIGKILL'));
  const signal = options.signal ?? new AbortController().signal;
  const link = await openWebSocketLink(`${url}/v1/data-channel/${session}?role=publish_subscribe`, {
    headers: {},
    signal,
  });
  const { streams, out, err } = execStreams(options);
  const dataKey: DataKeySource = (request, until) =>
    sessionDataKey({ keys: kms.keys, clusterArn }, { sessionId: session, workloadId, runtimeId }, request, until);
  const access = { link, tokenValue: 'any', dataKey, framing, program: command[0] ?? '' };
  const deps = { clock: new SystemClock(), random: new SystemRandom() };
  const exit = await runSession(access, streams, deps, signal).catch((error: unknown) =>
    error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  );
  return { exit, out: out(), err: err() };
};

/** The relay answers kms as well. */
const kmsOf = (
  url: string,
  { kmsKey, kmsEndpoint: other = {} }: AgentOptions,
): { readonly keys: KeysApi; readonly agent: readonly string[] } => {
  const endpoint = url.replace('ws://', 'http://');
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const keys = createKeysApi({ region: 'us-east-1', endpoint: other.client ?? endpoint, credentials, maxAttempts: 1 });
  onTestFinished(() => keys.close());
  return { keys, agent: kmsKey === undefined ? [] : ['-kms-key', kmsKey, '-kms-endpoint', other.agent ?? endpoint] };
};

const urlOf = async (output: NodeJS.ReadableStream): Promise<string> => {
  let text = '';
  for await (const chunk of output) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return (JSON.parse(text) as { url: string }).url;
};
