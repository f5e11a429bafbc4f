import { StopTaskCommand } from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { scripted, startUpMs, startWorld, type World } from './harness.ts';

const versions = ({ events }: World): readonly unknown[] => events.map(({ detail }) => detail['version']);

const runOnce = async (world: World): Promise<string> => {
  await world.register({ containerDefinitions: [scripted('app', 'run 2s; exit 0')] });
  return world.run({ startedBy: 'svk/1/2', tags: [{ key: 'a', value: '1' }] });
};

describe('task state change events', () => {
  it('come for every change, with a growing version', async () => {
    const world = await startWorld();
    await runOnce(world);
    await world.clock.advance(60_000);
    expect(versions(world)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(world.events.map(({ detail }) => detail['lastStatus'])).toEqual([
      'PROVISIONING',
      'PENDING',
      'ACTIVATING',
      'ACTIVATING',
      'RUNNING',
      'RUNNING',
      'DEACTIVATING',
      'STOPPING',
      'DEPROVISIONING',
      'STOPPED',
    ]);
  });

  it('have the shape of EventBridge, ISO times, attachment type eni, and neither tags nor health', async () => {
    const world = await startWorld();
    const arn = await runOnce(world);
    await world.clock.advance(60_000);
    const event = world.events.at(-1);
    expect(event).toMatchObject({
      version: '0',
      'detail-type': 'ECS Task State Change',
      source: 'aws.ecs',
      account: '123456789012',
      region: 'eu-central-1',
      time: '2030-01-01T00:00:06Z',
      resources: [arn],
      detail: {
        taskArn: arn,
        clusterArn: 'arn:aws:ecs:eu-central-1:123456789012:cluster/pods',
        startedBy: 'svk/1/2',
        group: 'family:web',
        createdAt: '2030-01-01T00:00:00.000Z',
        startedAt: '2030-01-01T00:00:03.500Z',
        stoppedAt: '2030-01-01T00:00:06.600Z',
        updatedAt: '2030-01-01T00:00:06.600Z',
        stopCode: 'EssentialContainerExited',
        attachments: [{ type: 'eni', status: 'DELETED' }],
        containers: [{ name: 'app', lastStatus: 'STOPPED', exitCode: 0 }],
      },
    });
    expect(event?.detail).not.toHaveProperty('tags');
    expect(event?.detail).not.toHaveProperty('healthStatus');
  });

  it('tell of a stop while the task still runs', async () => {
    const world = await startWorld();
    await world.register();
    const arn = await world.run();
    await world.clock.advance(startUpMs + 10);
    const before = world.events.length;
    await world.ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn }));
    await world.clock.advance(10);
    expect(world.events[before]?.detail).toMatchObject({ lastStatus: 'RUNNING', desiredStatus: 'STOPPED' });
  });

  it('can be lost', async () => {
    const world = await startWorld();
    world.aws.faults.inject({ kind: 'events', lose: 1, count: 3 });
    await runOnce(world);
    await world.clock.advance(60_000);
    expect(versions(world)).toEqual([4, 5, 6, 7, 8, 9, 10]);
  });

  it('can come twice', async () => {
    const world = await startWorld();
    world.aws.faults.inject({ kind: 'events', duplicate: 1, count: 2 });
    await runOnce(world);
    await world.clock.advance(60_000);
    expect(versions(world)).toEqual([1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(world.events[0]?.id).toBe(world.events[1]?.id);
  });

  it('can come late, behind a newer one', async () => {
    const world = await startWorld();
    await runOnce(world);
    await world.clock.advance(5000);
    world.aws.faults.inject({ kind: 'events', reorder: 1, count: 1 });
    await world.clock.advance(60_000);
    expect(versions(world)).toEqual([1, 2, 3, 4, 5, 7, 6, 8, 9, 10]);
  });

  it('come again when the target refuses them', async () => {
    let refusals = 2;
    const seen: unknown[] = [];
    const world = await startWorld({
      onEvent: ({ detail }) => {
        if (detail['version'] === 2 && refusals-- > 0) throw new Error('not now');
        seen.push(detail['version']);
      },
    });
    await runOnce(world);
    await world.clock.advance(60_000);
    expect(seen).toEqual([1, 3, 2, 4, 5, 6, 7, 8, 9, 10]);
  });
});
