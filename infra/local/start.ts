/**
 * `npm start`: the local cloud and a virtual node. Runs `serverless offline` with the plugin of this folder as a child, so
 * that what runs here is what `serverless offline start` runs, and shows only what a person needs.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArguments, USAGE } from './cloud/arguments.ts';
import { DEFAULT_PORTS, freePorts, portInUse } from './cloud/ports.ts';

/** What the plugin tells its parent once, over the IPC channel. */
export type StartMessage =
  | { readonly kind: 'ready'; readonly lines: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string };

const fail = (message: string): never => {
  process.stderr.write(`svk: ${message}\n`);
  process.exit(1);
};

const parsed = parseArguments(process.argv.slice(2));
if (parsed.kind === 'help') {
  process.stdout.write(USAGE);
  process.exit(0);
}
if (parsed.kind === 'fault') fail(`${parsed.message}\n\n${USAGE}`);
const {
  kubeconfig = process.env['KUBECONFIG'],
  runtime,
  directory,
  anyPorts,
} = parsed.kind === 'start' ? parsed : fail('no arguments');

const ports = anyPorts ? await freePorts() : DEFAULT_PORTS;
const taken = await portInUse(ports);
if (taken) {
  fail(
    `port ${taken.port} (${taken.name}) is in use: end what listens there, or use free ports with \`npm start -- --any-ports\`.`,
  );
}

mkdirSync(directory, { recursive: true });
const logFile = join(directory, 'serverless.log');
const log = openSync(logFile, 'w');
const options = {
  runtime,
  directory: resolve(directory),
  ports,
  ...(kubeconfig !== undefined && kubeconfig !== '' && { kubeconfig: resolve(kubeconfig) }),
};
const cli = createRequire(import.meta.url).resolve('serverless/bin/serverless.js');
const child = spawn(
  process.execPath,
  [cli, 'offline', 'start', '--httpPort', String(ports.http), '--lambdaPort', String(ports.lambda)],
  {
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
  },
);

let stopping = false;
const stop = (): void => {
  if (stopping) return;
  stopping = true;
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), 10_000).unref();
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);

child.on('message', (message: StartMessage) => {
  if (message.kind === 'ready') process.stdout.write(`${message.lines.join('\n')}\n`);
  else {
    process.stderr.write(`svk: ${message.message}\n`);
    process.exitCode = 1;
    stop();
  }
});

child.on('exit', (code, signal) => {
  closeSync(log);
  if (stopping) return;
  const tail = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  process.stderr.write(
    `svk: the local cloud ended by itself (${signal ?? `exit code ${code}`}). Its last words (${logFile}):\n${tail}\n`,
  );
  process.exitCode = 1;
});
