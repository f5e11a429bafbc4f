import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from './child.ts';
import type { ControlPlane } from './control-plane.ts';
import { userKubeconfig } from './user-kubeconfig.ts';

const SVK = fileURLToPath(new URL('../../src/cli/svk.mjs', import.meta.url));

/** A running `svk run`. */
export interface SvkRun {
  readonly pid: number;
  /** The user its requests come from, as the audit log names it. */
  readonly user: string;
  readonly node: string;
  /** File of its credentials: given as a flag it makes the next run the same user. */
  readonly kubeconfig: string;
  /** File of its output. */
  readonly log: string;
  stop(): Promise<void>;
}

export interface SvkRunOptions {
  readonly node: string;
  readonly provider: string;
  /** The document of `--provider-config`. */
  readonly config: unknown;
  /** Further flags, by name without dashes. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Starts `svk run` on a control plane, with a client certificate of its own and every right. Its kubelet API listens on
 * the loopback interface unless `flags` say otherwise. Resolves at once: the node is Ready when it is Ready.
 */
export const startSvkRun = async (
  plane: Pick<ControlPlane, 'kubeconfig' | 'folder'>,
  { node, provider, config, flags = {}, environment = {} }: SvkRunOptions,
): Promise<SvkRun> => {
  const user = `svk-${node}`;
  const log = path.join(plane.folder, `${user}.log`);
  const configFile = path.join(plane.folder, `${user}.json`);
  await writeFile(configFile, JSON.stringify(config));
  const kubeconfig = flags['kubeconfig'] ?? (await userKubeconfig(plane, user));
  const all = {
    kubeconfig,
    nodename: node,
    provider,
    'provider-config': configFile,
    'node-ip': '127.0.0.1',
    listen: '127.0.0.1:0',
    'metrics-addr': '',
    'serving-certificate': 'self-signed',
    ...flags,
  };
  const child = await startChild(
    [process.execPath, SVK, 'run', ...Object.entries(all).map(([name, value]) => `--${name}=${value}`)],
    { env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment }, log },
  );
  return { pid: child.pid, user, node, kubeconfig, log, stop: child.stop };
};
