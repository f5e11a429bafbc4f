import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { StopTaskCommand, UpdateClusterSettingsCommand } from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { noDelays } from '../../../infra/local/aws/delays.ts';
import { ProcessRuntime } from '../../../infra/local/runtimes/process/process-runtime.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { waitFor } from '../../support/local-cloud.ts';
import { container, refusal, scripted, startUpMs, startWorld, type World } from './harness.ts';

const logGroupName = '/aws/ecs/containerinsights/pods/performance';
const MINUTE = 60_000;

const turnOn = ({ ecs }: World, value = 'enabled'): Promise<unknown> =>
  ecs.send(new UpdateClusterSettingsCommand({ cluster: 'pods', settings: [{ name: 'containerInsights', value }] }));

const eventsOf = async ({ logs }: World, type: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const filterPattern = `{ $.Type = "${type}" }`;
  const { events = [] } = await logs.send(new FilterLogEventsCommand({ logGroupName, filterPattern }));
  return events.map(({ message = '' }) => JSON.parse(message) as Record<string, unknown>);
};

describe('Container Insights', () => {
  it('writes each minute what running containers and their task use', async () => {
    const world = await startWorld();
    await turnOn(world);
    await world.register({
      cpu: '512',
      memory: '1024',
      containerDefinitions: [scripted('app', 'use 0.25 100', { cpu: 128 }), scripted('side', 'use 0.05 20.5')],
    });
    const arn = await world.run();
    await world.clock.advance(startUpMs + 2 * MINUTE);
    const all = await eventsOf(world, 'Container');
    expect(all.map(({ ContainerName }) => ContainerName)).toEqual(['app', 'side', 'app', 'side']);
    expect(all.at(-2)).toMatchObject({
      Version: '0',
      ClusterName: 'pods',
      TaskId: arn.split('/').at(-1),
      TaskDefinitionFamily: 'web',
      TaskDefinitionRevision: '1',
      Image: 'nginx:1.27',
      ContainerKnownStatus: 'RUNNING',
      CpuReserved: 128,
      MemoryUtilized: 100,
      CpuUtilized: expect.closeTo(256, 6),
    });
    expect(all.at(-1)).toMatchObject({ MemoryUtilized: 21 });
    const times = all.map(({ Timestamp }) => Number(Timestamp));
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBe(MINUTE);
    expect((await eventsOf(world, 'Task')).at(-1)).toMatchObject({
      CpuReserved: 512,
      MemoryReserved: 1024,
      MemoryUtilized: 121,
      CpuUtilized: expect.closeTo(307.2, 6),
    });
    await world.ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn }));
    await world.clock.advance(5 * MINUTE);
    expect(await eventsOf(world, 'Container')).toHaveLength(all.length);
  });

  it('is silent where it is off, and stops where it is turned off', async () => {
    const world = await startWorld();
    await world.register({ containerDefinitions: [scripted('app', 'use 1 1')] });
    await world.run();
    await world.clock.advance(5 * MINUTE);
    expect(await refusal(eventsOf(world, 'Container'))).toMatch(/^ResourceNotFoundException/);
    await turnOn(world, 'enhanced');
    await world.clock.advance(MINUTE + 1000);
    expect(await eventsOf(world, 'Container')).toHaveLength(1);
    await turnOn(world, 'disabled');
    await world.clock.advance(5 * MINUTE);
    expect(await eventsOf(world, 'Container')).toHaveLength(1);
  });

  it.runIf(process.platform === 'linux')('measures local processes, descendants included', async () => {
    const world = await startWorld({
      runtime: new ProcessRuntime(),
      clock: new SystemClock(),
      delays: noDelays,
      insightsPeriodMs: 1000,
    });
    await turnOn(world);
    const busy = '(while :; do :; done) & exec sleep 600';
    await world.register({
      containerDefinitions: [
        container({ name: 'busy', entryPoint: ['sh', '-c', busy] }),
        container({ name: 'idle', entryPoint: ['sleep', '600'] }),
      ],
    });
    await world.run();
    const latest = async (name: string): Promise<Readonly<Record<string, unknown>> | undefined> =>
      (await eventsOf(world, 'Container').catch(() => [])).findLast(({ ContainerName }) => ContainerName === name);
    await waitFor(async () => Number((await latest('busy'))?.['CpuUtilized']) > 100, {
      withinMs: 15_000,
      what: 'the load of the busy container',
    });
    const idle = await latest('idle');
    expect(idle?.['CpuUtilized']).toBeLessThan(50);
    expect(idle?.['MemoryUtilized']).toBeGreaterThanOrEqual(1);
    expect(idle?.['MemoryUtilized']).toBeLessThan(50);
  });
});
