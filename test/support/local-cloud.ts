import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** `npm start` as a person types it, but on free ports and in a folder of its own. */
export interface RunningCloud {
  readonly kubeconfig: string;
  /** Address of the page to look at. */
  readonly page: string;
  /** The process that `npm start` runs. */
  readonly pid: number;
  /** Where its files are. */
  readonly directory: string;
  /** Everything printed so far. */
  output(): string;
  /** Words of serverless-offline and the functions. */
  log(): Promise<string>;
  /** URL of the service on AWS's side, as printed. */
  readonly ports: { readonly dynamodb: number; readonly sqs: number; readonly aws: number };
  /** What clients sign with. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  kubectl(...args: string[]): Promise<string>;
  /** Ctrl-C; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Builds the bundles, once a test run. */
export const buildBundles = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, ['scripts/build.ts']);
};

/** Starts it, with local processes unless told otherwise, and waits for its greeting. @throws with what it printed where it ends before. */
export const startLocalCloud = async (args: readonly string[] = []): Promise<RunningCloud> => {
  const directory = await mkdtemp(join(tmpdir(), 'svk-cloud-'));
  const command = ['infra/local/start.ts', '--any-ports', '--directory', directory, '--runtime', 'process', ...args];
  const child = spawn(process.execPath, command, {
    env: { ...process.env, KUBECONFIG: '' },
  });
  const output = collect(child);
  await Promise.race([
    waitFor(() => output().includes('Ctrl-C ends')),
    once(child, 'exit').then(() => Promise.reject(new Error(`npm start ended: ${output()}`))),
  ]);
  const kubeconfig = /kubeconfig\s+(\S+)/.exec(output())?.[1] ?? '';
  const [, dynamodb = 0, sqs = 0, aws = 0] = (/DynamoDB (\d+), SQS (\d+), .* SSM (\d+)/.exec(output()) ?? []).map(
    Number,
  );
  return {
    kubeconfig,
    page: /page\s+(\S+)/.exec(output())?.[1] ?? '',
    pid: child.pid ?? 0,
    directory,
    output,
    ports: { dynamodb, sqs, aws },
    credentials: JSON.parse(await readFile(join(directory, 'aws.json'), 'utf8')) as RunningCloud['credentials'],
    log: () => readFile(join(directory, 'serverless.log'), 'utf8'),
    kubectl: async (...command) => {
      const { stdout } = await promisify(execFile)('kubectl', ['--kubeconfig', kubeconfig, ...command], {
        timeout: 60_000,
        maxBuffer: 64 * 1_048_576,
      });
      return stdout;
    },
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      const [code] = (await exited) as [number | null];
      await rm(directory, { recursive: true, force: true });
      return code;
    },
  };
};

/** Runs it to its end: for what must be refused. */
export const runLocalCloud = async (
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const directory = await mkdtemp(join(tmpdir(), 'svk-cloud-'));
  const child = spawn(process.execPath, ['infra/local/start.ts', '--directory', directory, ...args], {
    env: { ...process.env, KUBECONFIG: '' },
  });
  const output = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  await rm(directory, { recursive: true, force: true });
  return { code, output: output() };
};

/** Asks again every 100 ms until `condition` holds. @throws after `withinMs`. */
export const waitFor = async (
  condition: () => boolean | Promise<boolean>,
  { withinMs = 60_000, what = 'the condition' }: { readonly withinMs?: number; readonly what?: string } = {},
): Promise<void> => {
  const end = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`${what} did not come within ${withinMs / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

const collect = (child: ChildProcess): (() => string) => {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
};
