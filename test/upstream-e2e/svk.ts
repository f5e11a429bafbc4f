import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../support/child.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { userKubeconfig } from '../support/user-kubeconfig.ts';
import { startTasks } from './tasks.ts';

const SVK = fileURLToPath(new URL('../../src/cli/svk.mjs', import.meta.url));

/** Starts `svk run` as a user of its own on a control plane. */
export const startSvk = async (
  plane: Pick<ControlPlane, 'kubeconfig' | 'folder'>,
  {
    provider,
    node,
    address,
  }: { readonly provider: 'mock' | 'fargate'; readonly node: string; readonly address: string },
): Promise<{ readonly pid: number; readonly log: string; stop(): Promise<void> }> => {
  const config = path.join(plane.folder, 'provider.json');
  const log = path.join(plane.folder, 'svk.log');
  const tasks = provider === 'fargate' ? await startTasks(node) : undefined;
  await writeFile(config, JSON.stringify(tasks?.settings ?? { [node]: { cpu: '2', memory: '32Gi', pods: '128' } }));
  const flags = {
    kubeconfig: await userKubeconfig(plane, 'svk'),
    nodename: node,
    provider,
    'provider-config': config,
    'node-ip': address,
    listen: `${address}:10250`,
    'metrics-addr': '',
    'startup-timeout': '1m',
  };
  const child = await startChild(
    [
      process.execPath,
      SVK,
      'run',
      ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
      // The suite asks for metrics through a pod's proxy, which carries no credentials.
      '--insecure-allow-anonymous',
    ],
    {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...tasks?.environment },
      log,
    },
  );
  return {
    pid: child.pid,
    log,
    stop: async () => {
      await child.stop();
      await tasks?.close();
    },
  };
};
