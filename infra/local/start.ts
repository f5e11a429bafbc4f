/**
 * `npm start`: the local cloud and a virtual node. Runs `serverless offline` with the plugin of this folder as a child, so
 * that what runs here is what `serverless offline start` runs, and shows only what a person needs.
 */
import { resolve } from 'node:path';
import { type Arguments, parseArguments, USAGE } from './cloud/arguments.ts';
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
  const kubeconfig = parsed.kubeconfig ?? process.env['KUBECONFIG'] ?? '';
  const options = {
    ...(parsed.runtime !== undefined && { runtime: parsed.runtime }),
    directory: resolve(parsed.directory),
    ports,
    ...(kubeconfig !== '' && { kubeconfig: resolve(kubeconfig) }),
  };
  return runServerless(options, parsed.settings);
};

const fail = (message: string): number => {
  process.stderr.write(`svk: ${message}\n`);
  return 1;
};

process.exitCode = await main(process.argv.slice(2));
