/**
 * `npm start`: the local cloud and a virtual node. Runs `serverless offline` with the plugin of this folder as a child, so
 * that what runs here is what `serverless offline start` runs, and shows only what a person needs.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { type Arguments, parseArguments, USAGE } from './cloud/arguments.ts';
import { lockDirectory, unlockDirectory } from './cloud/directory-lock.ts';
import { DEFAULT_PORTS, freePorts, portInUse } from './cloud/ports.ts';
import { runServerless } from './cloud/run-serverless.ts';

const main = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseArguments(argv);
  switch (parsed.kind) {
    case 'help':
      process.stdout.write(USAGE);
      return 0;
    case 'fault':
      return fail(`${parsed.message}\n\n${USAGE}`);
    case 'start':
      return start(parsed);
    default:
      return parsed satisfies never;
  }
};

const start = async (parsed: Extract<Arguments, { kind: 'start' }>): Promise<number> => {
  const ports = parsed.anyPorts ? await freePorts() : DEFAULT_PORTS;
  const taken = await portInUse(ports);
  if (taken) {
    const remedy = 'end what listens there, or use free ports: npm start -- --any-ports';
    return fail(`port ${taken.port} (${taken.name}) is in use: ${remedy}`);
  }
  const fault = parsed.settings === undefined ? undefined : faultOfSettings(parsed.settings);
  if (fault !== undefined) return fail(fault);
  const kubeconfig = parsed.kubeconfig ?? process.env['KUBECONFIG'] ?? '';
  const options = {
    ...(parsed.runtime !== undefined && { runtime: parsed.runtime }),
    directory: resolve(parsed.directory),
    ports,
    ...(kubeconfig !== '' && { kubeconfig: resolve(kubeconfig) }),
  };
  const other = lockDirectory(options.directory);
  if (other !== undefined)
    return fail(
      `${options.directory} belongs to the local cloud of process ${other}: end that, or use another --directory`,
    );
  try {
    return await runServerless(options, parsed.settings);
  } finally {
    unlockDirectory(options.directory);
  }
};

/** What the framework would say at length, and without the file's name. What the settings mean is checked by it later. */
const faultOfSettings = (file: string): string | undefined => {
  if (!existsSync(file)) return `settings file ${file} is not there`;
  const [error] = parseDocument(readFileSync(file, 'utf8')).errors;
  return error && `settings file ${file} is not YAML: ${error.message.split('\n')[0]}`;
};

const fail = (message: string): number => {
  process.stderr.write(`svk: ${message}\n`);
  return 1;
};

process.exitCode = await main(process.argv.slice(2));
