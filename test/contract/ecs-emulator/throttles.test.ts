import { ListTasksCommand, RegisterTaskDefinitionCommand, RunTaskCommand } from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { definition, runRequest, startWorld, type World } from './harness.ts';

/** How many of `count` calls were not throttled. */
const accepted = async (count: number, call: () => Promise<unknown>): Promise<number> => {
  let passed = 0;
  for (let index = 0; index < count; index += 1) {
    try {
      await call();
      passed += 1;
    } catch (error) {
      expect(error).toMatchObject({ name: 'ThrottlingException', message: 'Rate exceeded' });
    }
  }
  return passed;
};

const awsDefaults = async (): Promise<World> => startWorld({ throttles: {} });

describe("AWS's request buckets", () => {
  it('takes 20 registrations at once and one a second after that', async () => {
    const { ecs, clock } = await awsDefaults();
    const register = (): Promise<unknown> => ecs.send(new RegisterTaskDefinitionCommand(definition()));
    expect(await accepted(25, register)).toBe(20);
    await clock.advance(3000);
    expect(await accepted(5, register)).toBe(3);
  });

  it('takes 100 reads of tasks at once and 20 a second', async () => {
    const { ecs, clock } = await awsDefaults();
    const list = (): Promise<unknown> => ecs.send(new ListTasksCommand({ cluster: 'pods' }));
    expect(await accepted(110, list)).toBe(100);
    await clock.advance(1000);
    expect(await accepted(30, list)).toBe(20);
  });

  it('launches 100 Fargate tasks at once and 20 a second, each task of a request counted', async () => {
    const { ecs, clock, register } = await startWorld({
      throttles: { 'cluster-resource-modify': { burst: 1000, perSecond: 1000 } },
    });
    await register();
    const runTen = (): Promise<unknown> => ecs.send(new RunTaskCommand(runRequest({ count: 10 })));
    expect(await accepted(12, runTen)).toBe(10);
    await clock.advance(1000);
    expect(await accepted(5, runTen)).toBe(2);
  });

  it('counts Spot launches apart', async () => {
    const { ecs, register } = await startWorld({ throttles: { 'fargate-launch': { burst: 1, perSecond: 0 } } });
    await register();
    const onDemand = (): Promise<unknown> => ecs.send(new RunTaskCommand(runRequest()));
    const spot = (): Promise<unknown> =>
      ecs.send(
        new RunTaskCommand(
          runRequest({
            launchType: undefined,
            capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
          }),
        ),
      );
    expect([await accepted(3, onDemand), await accepted(3, spot)]).toEqual([1, 3]);
  });
});
