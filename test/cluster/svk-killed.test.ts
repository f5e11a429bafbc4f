import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { SeededRandom } from '../fakes/clock.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { createKillableSvk, type KillableSvk } from '../support/killable-svk.ts';
import { PodWatcher, twentyAtOnce } from '../support/pod-watcher.ts';

const NODE = 'killed';
const PODS = '/api/v1/namespaces/default/pods';
const KILLS = 6;
/**
 * A claim lives a minute longer than its holder, and five minutes more no new launch may be sent. A deleted pod whose launch
 * went unanswered is let go after ten minutes only: a late request could still start it.
 */
const RECOVERY_MS = 13 * 60_000;
const { signal } = new AbortController();
const random = new SeededRandom(4);
let plane: ControlPlane;
let client: KubernetesClient;
let watcher: PodWatcher;
let svk: KillableSvk;

beforeAll(async () => {
  plane = await startControlPlane();
  client = new KubernetesClient(await credentialsFromKubeconfig(plane.kubeconfig), {
    clock: new SystemClock(),
    deadlineMs: 60_000,
  });
  svk = await createKillableSvk(plane.kubeconfig, NODE);
  watcher = new PodWatcher(client, NODE);
  await watcher.synced;
});
afterAll(async () => {
  await watcher?.stop();
  await svk?.close();
  client?.close();
  await plane?.remove();
});

const create = async (name: string): Promise<void> => {
  const containers = [{ name: 'main', image: 'registry.example/app:1' }];
  await client.create(PODS, { metadata: { name }, spec: { nodeName: NODE, containers } }, { signal });
  await delay(100);
};
const remove = async (name: string): Promise<void> => {
  await client.delete(`${PODS}/${name}`, { signal });
  await delay(100);
};

/** Does the work while one process after the other dies at a random moment; the last one lives on. */
const whileDying = async (work: () => Promise<void>): Promise<void> => {
  const working = work();
  for (let kill = 0; kill < KILLS; kill += 1) {
    await delay(1_500 + random.next() * 3_500);
    await svk.kill();
    await svk.start();
  }
  await working;
};

it(
  'killed at random moments of 200 creations and deletions it doubles nothing, loses nothing and leaves nothing',
  async () => {
    const names = Array.from({ length: 200 }, (_, pod) => `pod-${pod}`);
    const [going, staying] = [names.filter((_, pod) => pod % 2 === 0), names.filter((_, pod) => pod % 2 === 1)];

    await svk.start();
    await whileDying(() => twentyAtOnce(names, create));
    await whileDying(() => twentyAtOnce(going, remove));
    await watcher.until('all that stay run, and all others are gone', RECOVERY_MS, () =>
      names.every((name, pod) => (pod % 2 === 0 ? watcher.goneAt.has(name) : watcher.runningAt.has(name))),
    );

    const staysBy = new Map(staying.map((name) => [watcher.pods.get(name)?.metadata?.uid ?? '', name]));
    const tasks = await svk.tasks();
    const byPod = Map.groupBy(tasks, ({ startedBy = '' }) => startedBy.split('/').at(-1) ?? '');
    expect([...byPod.values()].filter((ofPod) => ofPod.length > 1)).toEqual([]);
    const live = tasks.filter(({ lastStatus }) => lastStatus !== 'STOPPED');
    expect(new Set(live.map(({ startedBy = '' }) => staysBy.get(startedBy.split('/').at(-1) ?? '')))).toEqual(
      new Set(staying),
    );
    expect(live).toHaveLength(100);

    await twentyAtOnce(staying, remove);
    await watcher.until('the others are gone', RECOVERY_MS, () => staying.every((name) => watcher.goneAt.has(name)));
    await delay(5_000);
    expect((await svk.tasks()).filter(({ lastStatus }) => lastStatus !== 'STOPPED')).toEqual([]);
    expect(await svk.podRows()).toEqual([]);
    await svk.stop();
  },
  3 * RECOVERY_MS,
);
