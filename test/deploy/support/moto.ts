import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../infra/local/cloud/ports.ts';

const SERVER = join(import.meta.dirname, 'moto-server.py');
const START_SECONDS = 60;

/** A moto server of our own: an AWS account in memory. */
export interface Moto {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string;
  /** What makes the AWS SDKs, and so `serverless deploy`, talk to it. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts it on a free port of the loopback address and waits until it answers. @throws {Error} with what it printed. */
export async function startMoto(python: string): Promise<Moto> {
  const folder = mkdtempSync(join(tmpdir(), 'svk-moto-'));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const server = spawn(python, [SERVER, '-H', '127.0.0.1', '-p', String(port)], { cwd: folder });
  const exit = once(server, 'exit');
  let printed = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const stop = async (): Promise<void> => {
    if (server.exitCode === null) server.kill('SIGKILL');
    await exit;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; !(await answers(endpoint)); tries += 1) {
    if (server.exitCode !== null || tries >= START_SECONDS * 5) {
      await stop();
      throw new Error(`moto does not answer:\n${printed}`);
    }
    await wait(200);
  }
  return {
    endpoint,
    environment: { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_ENDPOINT_URL: endpoint },
    stop,
  };
}

const answers = async (endpoint: string): Promise<boolean> =>
  fetch(`${endpoint}/moto-api/data.json`).then(
    (response) => response.ok,
    () => false,
  );
