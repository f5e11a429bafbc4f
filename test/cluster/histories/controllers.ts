import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type HistoryWorld, isReady, signal, until } from '../../support/history-world.ts';
import { createdAt, deletePod, deployment, endedAt, LIMIT_MS, readyPod, successorOf } from './shapes.ts';

/** Deployments, StatefulSets and what owns them. */
export const controllerHistories = (world: () => HistoryWorld): void => {
  it('a rollout never has fewer pods than maxUnavailable allows', { timeout: LIMIT_MS }, async () => {
    const namespace = await world().namespace('rollout');
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } };
    await world().create(
      'apps/v1',
      namespace,
      'deployments',
      deployment(world(), 'web', 4, '', { strategy, minReadySeconds: 1 }),
    );
    const before = await world().readyPods(namespace, 4);

    const image = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'app:2' }];
    await world().client.patch(`/apis/apps/v1/namespaces/${namespace}/deployments/web`, 'json', image, { signal });
    const ready: number[] = [];
    await until('all pods run the new image', 120_000, async () => {
      const pods = (await world().pods(namespace)).filter(isReady);
      ready.push(pods.length);
      return pods.length === 4 && pods.every(({ spec }) => spec?.containers[0]?.image === 'app:2');
    });
    expect(Math.min(...ready)).toBeGreaterThanOrEqual(3);
    await until('the old pods are gone', 60_000, async () => (await world().pods(namespace)).length === 4);
    for (const pod of before) expect(await world().taskOf(pod)).toMatchObject({ desiredStatus: 'STOPPED' });
  });

  it('L-01 a StatefulSet makes its pod anew under the same name, once the old one has ended', {
    timeout: LIMIT_MS,
  }, async () => {
    const namespace = await world().namespace('stateful');
    const script = 'on-term 3s exit 0';
    const body = { ...deployment(world(), 'db', 1, script, { serviceName: 'db' }) };
    await world().create('apps/v1', namespace, 'statefulsets', body);
    const before = await readyPod(world(), namespace);
    await deletePod(world(), before);
    await successorOf(world(), before);
    const after = await readyPod(world(), namespace);
    expect([before.metadata?.name, after.metadata?.name]).toEqual(['db-0', 'db-0']);
    expect(await createdAt(world(), after)).toBeGreaterThanOrEqual(await endedAt(world(), before));
    await delay(3_000);
    expect(await world().taskOf(after)).toMatchObject({ lastStatus: 'RUNNING' });
  });

  it.each(['Background', 'Foreground'] as const)(
    'deleting an owner (%s) ends its pods and their tasks',
    { timeout: LIMIT_MS },
    async (propagationPolicy) => {
      const namespace = await world().namespace(`owner-${propagationPolicy.toLowerCase()}`);
      await world().create('apps/v1', namespace, 'deployments', deployment(world(), 'web', 3));
      const pods = await world().readyPods(namespace, 3);
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web`;
      await world().client.delete(path, { signal, propagationPolicy });
      await until('the pods are gone', 60_000, async () => (await world().pods(namespace)).length === 0);
      await until('their tasks have stopped', 30_000, async () => {
        const tasks = await Promise.all(pods.map((pod) => world().taskOf(pod)));
        return tasks.every(({ lastStatus }) => lastStatus === 'STOPPED');
      });
    },
  );
};
