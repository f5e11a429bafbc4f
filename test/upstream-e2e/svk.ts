import type { ControlPlane } from '../support/control-plane.ts';
import { type SvkRun, startSvkRun } from '../support/svk-run.ts';
import { startTasks } from './tasks.ts';

/** Starts `svk run` for the suite, with an emulated ECS where the provider needs one. */
export const startSvk = async (
  plane: Pick<ControlPlane, 'kubeconfig' | 'folder'>,
  {
    provider,
    node,
    address,
  }: { readonly provider: 'mock' | 'fargate'; readonly node: string; readonly address: string },
): Promise<SvkRun> => {
  const tasks = provider === 'fargate' ? await startTasks(node) : undefined;
  const svk = await startSvkRun(plane, {
    node,
    provider,
    config: tasks?.settings ?? { [node]: { cpu: '2', memory: '32Gi', pods: '128' } },
    flags: {
      'node-ip': address,
      listen: `${address}:10250`,
      'startup-timeout': '1m',
      // Two tests go through a pod's proxy, which carries no credentials.
      'insecure-allow-anonymous': 'true',
    },
    ...(tasks && { environment: tasks.environment }),
  });
  return {
    ...svk,
    stop: async () => {
      await svk.stop();
      await tasks?.close();
    },
  };
};
