import { beforeAll, describe, expect, it } from 'vitest';
import { noDelays } from '../../infra/local/aws/delays.ts';
import { createAwsServices } from '../../infra/local/aws/services.ts';
import { SimulatedRuntime } from '../../infra/local/runtimes/simulated/simulated-runtime.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { definition, runRequest, scripted } from '../contract/ecs-emulator/harness.ts';
import { waitFor } from '../support/local-cloud.ts';
import { shell, startDockerWorld } from './support/docker-world.ts';
import { address, hasEngine } from './support/engine.ts';
import { startEngineProxy } from './support/engine-proxy.ts';
import { heapInUse, openHandles } from './support/heap.ts';
import { makeImages } from './support/images.ts';
import { leftoverKinds, leftovers } from './support/leftovers.ts';

const mebibyte = 1_048_576;

describe.skipIf(!hasEngine)('a burst of real tasks', () => {
  beforeAll(() => makeImages());

  it('of 100 runs at once, each with its own address and log, and leaves nothing behind', {
    timeout: 900_000,
  }, async () => {
    const handles = openHandles();
    const proxy = await startEngineProxy(address);
    const world = await startDockerWorld({ engine: proxy.address });
    const warm = await world.run([shell('true')]);
    await warm.reaches('STOPPED');
    const heap = await heapInUse();

    const runs = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        world.run([shell(`echo up ${index}; trap "exit 0" TERM; while :; do sleep 1; done`, { stopTimeout: 10 })]),
      ),
    );
    await waitFor(() => world.aws.ecs.tasks.filter(({ lastStatus }) => lastStatus === 'RUNNING').length === 100, {
      withinMs: 600_000,
      what: '100 RUNNING tasks',
    });
    const tasks = await Promise.all(runs.map((run) => run.describe()));
    const addresses = tasks.map(({ containers }) => containers?.[0]?.networkInterfaces?.[0]?.privateIpv4Address);
    expect(new Set(addresses).size).toBe(100);
    await Promise.all(runs.map((run, index) => run.prints(`up ${index}`)));
    expect((await leftovers(world.runtime.run)).filter((name) => name.startsWith('container'))).toHaveLength(200);

    await Promise.all(runs.map((run) => run.stop()));
    await waitFor(() => world.aws.ecs.tasks.every(({ lastStatus }) => lastStatus === 'STOPPED'), {
      withinMs: 600_000,
      what: '100 STOPPED tasks',
    });
    const codes = world.aws.ecs.tasks.map(({ containers }) => containers[0]?.exitCode);
    expect(codes).toEqual(Array.from({ length: 101 }, () => 0));
    expect(await leftoverKinds(world.runtime.run)).toEqual(['network', 'image']);
    await waitFor(() => proxy.open === 0, { what: 'the last connection’s end' });
    // ECS itself remembers 100 stopped tasks and their logs for an hour.
    expect((await heapInUse()) - heap).toBeLessThan(20 * mebibyte);

    await world.close();
    await proxy.close();
    expect(await leftovers(world.runtime.run)).toEqual([]);
    await waitFor(() => openHandles() <= handles, { what: `${handles} open handles` });
  });
});

/** The machine's time, which can be set ahead. */
class AheadClock extends SystemClock {
  aheadMs = 0;

  override now(): number {
    return super.now() + this.aheadMs;
  }
}

describe('a burst of simulated tasks', () => {
  it('of 5,000 runs at once and leaves no memory behind', { timeout: 300_000 }, async () => {
    const clock = new AheadClock();
    const services = createAwsServices({
      region: 'eu-central-1',
      runtime: new SimulatedRuntime(clock),
      clock,
      delays: noDelays,
      throttles: 'off',
    });
    const { ecs } = services;
    await ecs.handle('CreateCluster', { clusterName: 'pods' });
    await ecs.handle('RegisterTaskDefinition', definition({ containerDefinitions: [scripted('app', 'log up')] }));
    const burst = async (): Promise<void> => {
      for (let index = 0; index < 500; index += 1) await ecs.handle('RunTask', runRequest({ count: 10 }));
      const count = (status: string): number => ecs.tasks.filter(({ lastStatus }) => lastStatus === status).length;
      await waitFor(() => count('RUNNING') === 5000, { what: '5,000 RUNNING tasks' });
      const addresses = new Set(ecs.tasks.map(({ attachment }) => attachment.privateIp));
      expect(addresses.size).toBe(5000);
      for (const { arn } of ecs.tasks) await ecs.handle('StopTask', { cluster: 'pods', task: arn });
      await waitFor(() => count('STOPPED') === 5000, { what: '5,000 STOPPED tasks' });
      clock.aheadMs += 3_600_001;
      expect(ecs.tasks).toEqual([]);
    };
    await burst();
    const heap = await heapInUse();
    await burst();
    await burst();
    expect((await heapInUse()) - heap).toBeLessThan(5 * mebibyte);
    await services.close();
  });
});
