#!/usr/bin/env node
// Plain JavaScript that an older Node can read: it only finds a Node that runs our TypeScript.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as modules from 'node:module';
import { basename } from 'node:path';

const OLDEST_MAJOR = 24;

/** The path of the Node binary that npm installed beside us, where there is one for this platform. */
function installedNode() {
  try {
    const path = modules.createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Runs this file again under `node`; signals reach the child, its exit code becomes ours. */
function runUnder(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`svk: cannot start ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code ?? 1;
      return;
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (Number.parseInt(process.versions.node, 10) >= OLDEST_MAJOR) {
  // Reading TypeScript takes most of the start; what was read is kept for the next one.
  modules.enableCompileCache();
  // `kubectl svk` is the same file under another name.
  const { main } = basename(process.argv[1]).startsWith('kubectl-svk')
    ? await import('./plugin/main.ts')
    : await import('./main.ts');
  await main(process.argv);
} else {
  const node = installedNode();
  if (node === undefined) {
    console.error(
      `svk: Node ${process.versions.node} is too old: install Node ${OLDEST_MAJOR}, or run npm ci without --omit=optional`,
    );
    process.exitCode = 1;
  } else {
    runUnder(node);
  }
}
