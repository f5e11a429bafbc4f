import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { corePath } from '../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { ignoreNotFound } from '../../src/core/errors.ts';
import type { ContainerStatus, Pod } from '../../src/model/kubernetes.ts';
import { hasKubectl } from '../support/kubectl.ts';
import { buildBundles, type RunningCloud, startLocalCloud, waitFor } from '../support/local-cloud.ts';
import { hasEngine } from './support/engine.ts';
import { makeImages } from './support/images.ts';

/** The slowest takes 90 s on a machine of its own. */
const LIMIT_MS = 420_000;
const { signal } = new AbortController();

describe.skipIf(!hasEngine || !hasKubectl()).concurrent('the life of a real container', () => {
  let cloud: RunningCloud;
  let client: KubernetesClient;

  beforeAll(async () => {
    await makeImages();
    await buildBundles();
    cloud = await startLocalCloud(['--runtime', 'docker']);
    const credentials = await credentialsFromKubeconfig(cloud.kubeconfig);
    client = new KubernetesClient(credentials, { clock: new SystemClock(), deadlineMs: 60_000 });
    await cloud.kubectl('apply', '-f', 'test/docker/manifests/lifecycle.yaml');
  });

  afterAll(async () => {
    client?.close();
    await cloud?.stop();
  });

  const read = (name: string): Promise<Pod> => client.get<Pod>(corePath('default', 'pods', name), { signal });
  const isGone = async (name: string): Promise<boolean> => (await ignoreNotFound(read(name))) === undefined;
  const main = async (name: string): Promise<ContainerStatus | undefined> =>
    (await read(name)).status?.containerStatuses?.[0];
  const log = (name: string): Promise<string> => cloud.kubectl('logs', name).catch(() => '');
  const eventsOf = (name: string): Promise<string> =>
    cloud.kubectl('get', 'events', `--field-selector=involvedObject.name=${name}`, '-o', 'custom-columns=M:.message');
  const wait = async (what: string, condition: () => Promise<boolean>, withinMs = 300_000): Promise<void> => {
    const slowly = async (): Promise<boolean> => (await condition()) || (await delay(300, false));
    await waitFor(slowly, { what, withinMs });
  };

  it('hears SIGTERM first, and goes as soon as it has ended', { timeout: LIMIT_MS }, async () => {
    await wait('its first word', async () => (await log('polite')).includes('up'));
    const follow = spawn('kubectl', ['--kubeconfig', cloud.kubeconfig, 'logs', '-f', 'polite']);
    let text = '';
    follow.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const began = Date.now();
    await cloud.kubectl('delete', 'pod', 'polite', '--wait=false');
    await wait('its going', () => isGone('polite'));
    // Its grace is two minutes.
    expect(Date.now() - began).toBeLessThan(118_000);
    await wait('its last word', async () => text.includes('heard SIGTERM'), 30_000);
    follow.kill();
  });

  it('is killed when its grace is over, and not before', { timeout: LIMIT_MS }, async () => {
    await wait('its first word', async () => (await log('deaf')).includes('up'));
    await cloud.kubectl('delete', 'pod', 'deaf', '--wait=false');
    await wait('its end', async () => (await main('deaf'))?.state?.terminated !== undefined);
    const { status } = await read('deaf');
    const { exitCode, finishedAt = '' } = status?.containerStatuses?.[0]?.state?.terminated ?? {};
    expect({ exitCode, phase: status?.phase }).toEqual({ exitCode: 137, phase: 'Failed' });
    const heardAt = Number(/heard at (\d+)/.exec(await log('deaf'))?.[1]);
    const lasted = Date.parse(finishedAt) / 1_000 - heardAt;
    // Both times are whole seconds.
    expect(lasted).toBeGreaterThanOrEqual(5);
    expect(lasted).toBeLessThan(30);
    await cloud.kubectl('patch', 'pod', 'deaf', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    await wait('its going', () => isGone('deaf'));
  });

  it('that takes too much memory is OOMKilled, and restarted', { timeout: LIMIT_MS }, async () => {
    await wait('its restart', async () => ((await main('hungry-again'))?.restartCount ?? 0) >= 1);
    expect((await main('hungry-again'))?.lastState?.terminated).toMatchObject({ reason: 'OOMKilled', exitCode: 137 });
    await cloud.kubectl('delete', 'pod', 'hungry-again', '--wait=false');
  });

  it('that crashes is restarted at once, then after 10 s, then after 20 s', { timeout: LIMIT_MS }, async () => {
    const runs = new Map<string, string>();
    await wait('its fourth run', async () => {
      const { startedAt, finishedAt } = (await main('looping'))?.lastState?.terminated ?? {};
      if (startedAt && finishedAt) runs.set(startedAt, finishedAt);
      return runs.size === 4;
    });
    const [starts, ends] = [[...runs.keys()], [...runs.values()]].map((times) => times.map((time) => Date.parse(time)));
    const waits = [1, 2, 3].map((run) => ((starts?.[run] ?? 0) - (ends?.[run - 1] ?? 0)) / 1_000);
    // Whole seconds, the ten of a beat, the start of a task, and a busy machine.
    for (const [index, least] of [0, 10, 20].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(least - 1);
      expect(waits[index]).toBeLessThan(least + 120);
    }
    await wait('the next wait', async () => (await main('looping'))?.state?.waiting !== undefined);
    const { state, lastState } = (await main('looping')) ?? {};
    expect(state?.waiting).toMatchObject({
      reason: 'CrashLoopBackOff',
      message: expect.stringMatching(/^back-off 40s restarting failed container=main pod=looping_default\(/),
    });
    expect(lastState?.terminated).toMatchObject({ exitCode: 3, message: 'no database\n' });
    await cloud.kubectl('delete', 'pod', 'looping', '--wait=false');
  });

  it('is Ready while its exec probe passes', { timeout: LIMIT_MS }, async () => {
    const ready = async (): Promise<boolean> => (await main('flipping'))?.ready === true;
    await wait('its start', async () => (await main('flipping'))?.state?.running !== undefined);
    expect(await ready()).toBe(false);
    await wait('Ready', ready);
    await wait('not Ready', async () => !(await ready()));
    const { metadata, status } = await read('flipping');
    expect(status).toMatchObject({ phase: 'Running', containerStatuses: [{ restartCount: 0, started: true }] });
    expect(await eventsOf(metadata?.name ?? '')).toContain('Readiness probe failed');
    await cloud.kubectl('delete', 'pod', 'flipping', '--force', '--grace-period=0');
  });

  it('is restarted when its liveness probe fails', { timeout: LIMIT_MS }, async () => {
    await wait('its restart', async () => ((await main('dying'))?.restartCount ?? 0) >= 1);
    expect((await main('dying'))?.lastState?.terminated?.exitCode).toBe(137);
    expect(await eventsOf('dying')).toContain('Container main failed liveness probe, will be restarted');
    await cloud.kubectl('delete', 'pod', 'dying', '--force', '--grace-period=0');
  });
});
