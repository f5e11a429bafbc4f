import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { corePath } from '../../../src/adapters/kubernetes/paths.ts';
import { type HistoryWorld, signal, until } from '../../support/history-world.ts';
import { hasKubectl } from '../../support/kubectl.ts';
import { deployment, LIMIT_MS, labels, readyPod } from './shapes.ts';

const run = promisify(execFile);

/** What concerns all pods of a node, and what is left at the end. */
export const nodeHistories = (world: () => HistoryWorld): void => {
  const kubectl = (...args: readonly string[]): Promise<unknown> =>
    run('kubectl', ['--kubeconfig', world().plane.kubeconfig, ...args]);

  it.skipIf(!hasKubectl())('kubectl delete --force lets the object go at once, and the task after it', async () => {
    const namespace = await world().namespace('force');
    const body = { metadata: { name: 'forced' }, spec: world().podSpec('on-term 3s exit 0') };
    await world().client.create(corePath(namespace, 'pods'), body, { signal });
    const pod = await readyPod(world(), namespace);
    await kubectl('delete', 'pod', '-n', namespace, 'forced', '--force', '--grace-period=0');
    expect(await world().pods(namespace)).toEqual([]);
    await until(
      'its task is told to stop',
      20_000,
      async () => (await world().taskOf(pod)).desiredStatus === 'STOPPED',
    );
  });

  it.skipIf(!hasKubectl())(
    'kubectl drain empties it, and uncordon lets pods in again',
    { timeout: LIMIT_MS },
    async () => {
      const namespace = await world().namespace('drain');
      const drained = { ...labels, drains: namespace };
      const spec = world().podSpec('on-term 1s exit 0');
      const template = { metadata: { labels: drained }, spec };
      await world().create('apps/v1', namespace, 'deployments', deployment(world(), 'web', 2, '', { template }));
      const bare = { metadata: { name: 'bare', labels: drained }, spec };
      await world().client.create(corePath(namespace, 'pods'), bare, { signal });
      const before = await world().readyPods(namespace, 3);

      await kubectl(
        'drain',
        world().node,
        '--force',
        '--ignore-daemonsets',
        '--delete-emptydir-data',
        '--timeout=120s',
        `--pod-selector=drains=${namespace}`,
      );
      for (const pod of before) {
        await until('its task has stopped', 30_000, async () => (await world().taskOf(pod)).lastStatus === 'STOPPED');
      }
      const left = await world().pods(namespace);
      expect(left.map(({ spec }) => spec?.nodeName)).toEqual([undefined, undefined]);

      await kubectl('uncordon', world().node);
      await world().readyPods(namespace, 2);
    },
  );

  it('is left without a task and without a row once every namespace is gone', { timeout: LIMIT_MS }, async () => {
    const { items } = await world().client.list<{ metadata: { name: string } }>('/api/v1/namespaces', { signal });
    const names = items.map(({ metadata }) => metadata.name).filter((name) => !/^(default|kube-.*)$/.test(name));
    await Promise.all(names.map((name) => world().client.delete(`/api/v1/namespaces/${name}`, { signal })));
    await until('every task has stopped', 90_000, async () =>
      (await world().svk.tasks()).every(({ lastStatus }) => lastStatus === 'STOPPED'),
    );
    await until('every row is gone', 180_000, async () => (await world().svk.podRows()).length === 0);
  });
};
