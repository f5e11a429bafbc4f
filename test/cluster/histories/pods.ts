import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { corePath } from '../../../src/adapters/kubernetes/paths.ts';
import type { Pod } from '../../../src/model/kubernetes.ts';
import { type HistoryWorld, signal, until } from '../../support/history-world.ts';
import { deployment, LIMIT_MS, readyPod, selector } from './shapes.ts';

/** What users do to single pods. */
export const podHistories = (world: () => HistoryWorld): void => {
  it('an eviction waits for the disruption budget, and is a deletion with grace', { timeout: LIMIT_MS }, async () => {
    const namespace = await world().namespace('eviction');
    await world().create('apps/v1', namespace, 'deployments', deployment(world(), 'web', 2, 'on-term 1s exit 0'));
    const budget = { metadata: { name: 'web' }, spec: { selector, minAvailable: 2 } };
    await world().create('policy/v1', namespace, 'poddisruptionbudgets', budget);
    const [victim] = await world().readyPods(namespace, 2);
    if (!victim) throw new Error('there is no pod');
    const { name = '' } = victim.metadata ?? {};
    const evict = (): Promise<unknown> =>
      world().client.create(
        corePath(namespace, 'pods', name, 'eviction'),
        { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } },
        { signal },
      );
    await expect(evict()).rejects.toThrow(/disruption budget/i);
    expect(await world().taskOf(victim)).toMatchObject({ desiredStatus: 'RUNNING' });

    const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/web`;
    await world().client.patch(path, 'merge', { spec: { minAvailable: 1 } }, { signal });
    await until('the budget allows it', 30_000, () =>
      evict().then(
        () => true,
        () => false,
      ),
    );
    await until('the pod is gone', 60_000, async () =>
      (await world().pods(namespace)).every(({ metadata }) => metadata?.name !== name),
    );
    const { desiredStatus, containers } = await world().taskOf(victim);
    expect({ desiredStatus, exitCode: containers?.[0]?.exitCode }).toEqual({ desiredStatus: 'STOPPED', exitCode: 0 });
    await world().readyPods(namespace, 2);
  });

  it('L-13 a deadline set later ends the pod as soon as it is over', { timeout: LIMIT_MS }, async () => {
    const namespace = await world().namespace('deadline');
    const body = { metadata: { name: 'late' }, spec: world().podSpec('on-term 1s exit 0') };
    await world().client.create(corePath(namespace, 'pods'), body, { signal });
    const pod = await readyPod(world(), namespace);
    const path = corePath(namespace, 'pods', 'late');
    await world().client.patch(path, 'merge', { spec: { activeDeadlineSeconds: 1 } }, { signal });
    await until(
      'the pod has failed',
      20_000,
      async () => (await world().pods(namespace))[0]?.status?.phase === 'Failed',
    );
    expect((await world().pods(namespace))[0]?.status).toMatchObject({ reason: 'DeadlineExceeded' });
    await until('its task has stopped', 30_000, async () => (await world().taskOf(pod)).lastStatus === 'STOPPED');
  });

  it('S-19 a readiness gate decides over Ready from the moment it is set', { timeout: LIMIT_MS }, async () => {
    const namespace = await world().namespace('gate');
    const type = 'example.com/registered';
    const body = {
      metadata: { name: 'gated', finalizers: ['example.com/hold'] },
      spec: world().podSpec('on-term 1s exit 0', { readinessGates: [{ conditionType: type }] }),
    };
    await world().client.create(corePath(namespace, 'pods'), body, { signal });
    const path = corePath(namespace, 'pods', 'gated');
    const conditionOf = async (name: string): Promise<string | undefined> =>
      (await world().client.get<Pod>(path, { signal })).status?.conditions?.find((one) => one.type === name)?.status;
    const gate = (status: string): Promise<unknown> =>
      world().client.patch(`${path}/status`, 'strategic', { status: { conditions: [{ type, status }] } }, { signal });
    await until('its containers are ready', 60_000, async () => (await conditionOf('ContainersReady')) === 'True');
    expect(await conditionOf('Ready')).toBe('False');
    await gate('True');
    await until('it is Ready', 20_000, async () => (await conditionOf('Ready')) === 'True');
    await gate('False');
    await until('it is not', 20_000, async () => (await conditionOf('Ready')) === 'False');
    expect(await conditionOf(type)).toBe('False');

    // Its finalizer holds the object, over and terminal, until somebody takes it away.
    await world().client.delete(path, { signal });
    await until('it has ended', 60_000, async () => {
      const { status } = await world().client.get<Pod>(path, { signal });
      return status?.phase === 'Succeeded';
    });
    await delay(2_000);
    await world().client.patch(path, 'merge', { metadata: { finalizers: null } }, { signal });
    await until('it is gone', 30_000, async () => (await world().pods(namespace)).length === 0);
  });
};
