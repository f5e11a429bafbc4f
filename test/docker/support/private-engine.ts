import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineAddress } from '../../../infra/local/runtimes/docker/engine-address.ts';
import { EngineClient } from '../../../infra/local/runtimes/docker/engine-client.ts';
import { waitFor } from '../../support/local-cloud.ts';

/** An engine of a test's own, on a disk of a few megabytes. */
export interface PrivateEngine {
  readonly address: EngineAddress;
  close(): Promise<void>;
}

/** Whether one can be started here: that takes `dockerd` and root. Where CI runs it must be possible. */
export const hasPrivateEngine = (): boolean => {
  const found = process.getuid?.() === 0 && spawnSync('dockerd', ['--version'], { stdio: 'ignore' }).status === 0;
  if (!found && process.env['CI'] === 'true')
    throw new Error('dockerd and root are needed for an engine of a test’s own');
  if (!found) console.warn('dockerd or root is lacking: tests with an engine of their own are skipped');
  return found;
};

/** Starts `dockerd` with its data on a new file system of that size in memory. */
export const startPrivateEngine = async (sizeMiB: number): Promise<PrivateEngine> => {
  const folder = await mkdtemp(join(tmpdir(), 'svk-engine-'));
  const [data, socketPath] = [join(folder, 'data'), join(folder, 'docker.sock')];
  await mkdir(data);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', data]);
  const child = spawn(
    'dockerd',
    [
      `--data-root=${data}`,
      `--exec-root=${join(folder, 'exec')}`,
      `--pidfile=${join(folder, 'pid')}`,
      `--host=unix://${socketPath}`,
      '--bridge=none',
      '--iptables=false',
      '--ip-masq=false',
    ],
    { stdio: 'ignore' },
  );
  const close = async (): Promise<void> => {
    if (child.exitCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    execFileSync('umount', ['--recursive', '--lazy', data]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitFor(
      async () => {
        if (child.exitCode !== null) throw new Error(`dockerd ended with ${child.exitCode}`);
        return EngineClient.connect({ socketPath }, 1000).then(
          () => true,
          () => false,
        );
      },
      { what: 'an answer of dockerd' },
    );
    return { address: { socketPath }, close };
  } catch (error) {
    await close();
    throw error;
  }
};
