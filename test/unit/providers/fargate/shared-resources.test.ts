import type { RegisterTaskDefinitionCommandInput } from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { PermanentError, SvkError, ThrottledError, TransientError } from '../../../../src/core/errors.ts';
import type { EcsApi } from '../../../../src/providers/fargate/aws/ecs-api.ts';
import type { ParametersApi } from '../../../../src/providers/fargate/aws/parameters-api.ts';
import { DefinitionRegistry } from '../../../../src/providers/fargate/launch/definition-registry.ts';
import { parameterVault } from '../../../../src/providers/fargate/launch/parameter-vault.ts';
import { SharedSecrets } from '../../../../src/providers/fargate/launch/shared-secrets.ts';
import { awsError, noAnswer } from '../../../fakes/aws/aws-error.ts';
import { scriptedEcs } from '../../../fakes/aws/scripted-ecs.ts';
import { FakeClock, SeededRandom } from '../../../fakes/clock.ts';
import { FakeResourceStore } from '../../../fakes/stores/fake-resource-store.ts';

const { signal } = new AbortController();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const definition: RegisterTaskDefinitionCommandInput = {
  family: 'svk-dev-0f0f',
  containerDefinitions: [{ name: 'main', image: 'x', environment: [{ name: 'A', value: 'b' }] }],
};

class World {
  readonly clock = new FakeClock();
  readonly resources = new FakeResourceStore();
  readonly registered: string[] = [];
  readonly deregistered: string[] = [];
  readonly #deps = { resources: this.resources, clock: this.clock, random: new SeededRandom(1) };

  registry(answers: Partial<EcsApi> = {}): DefinitionRegistry {
    const ecs = scriptedEcs({
      registerTaskDefinition: async (input) => {
        this.registered.push(input.family ?? '');
        await this.clock.sleep(1000);
        return {
          taskDefinition: {
            ...input,
            taskDefinitionArn: `arn:x:task-definition/${input.family}:${this.registered.length}`,
          },
        };
      },
      deregisterTaskDefinition: async ({ taskDefinition }) => void this.deregistered.push(taskDefinition ?? ''),
      ...answers,
    });
    return new DefinitionRegistry(ecs, this.#deps);
  }

  secrets(answers: Partial<ParametersApi> = {}): SharedSecrets {
    const vault = parameterVault({
      putParameter: () => Promise.reject(new Error('nobody has foreseen putParameter')),
      deleteParameter: () => Promise.reject(new Error('nobody has foreseen deleteParameter')),
      ...answers,
    });
    return new SharedSecrets(vault, this.#deps);
  }

  async settle<T>(promise: Promise<T>, ms = 60_000): Promise<T> {
    promise.catch(() => {});
    await this.clock.advance(ms);
    return promise;
  }
}

describe('task definitions', () => {
  it('are registered once for all who ask at the same time', async () => {
    const world = new World();
    const workers = Array.from({ length: 10 }, () => world.registry().arnOf('0f0f', definition, signal));
    const arns = await world.settle(Promise.all(workers));
    expect(new Set(arns)).toEqual(new Set(['arn:x:task-definition/svk-dev-0f0f:1']));
    expect(world.registered).toEqual(['svk-dev-0f0f']);
  });

  it('are not registered again, nor written more often than hourly', async () => {
    const world = new World();
    const registry = world.registry();
    await world.settle(registry.arnOf('0f0f', definition, signal), HOUR - 2000);
    const [before] = world.resources.resources();
    await registry.arnOf('0f0f', definition, signal);
    expect(world.resources.resources()).toEqual([before]);
    await world.clock.advance(HOUR);
    await registry.arnOf('0f0f', definition, signal);
    expect(world.resources.resources()[0]?.usedAt).toBe(world.clock.now());
    expect(world.registered).toHaveLength(1);
  });

  it('are registered by the next one where the first died over it', async () => {
    const world = new World();
    await world.resources.claim('TASKDEF#0f0f', {
      id: 'dead',
      now: world.clock.now(),
      until: world.clock.now() + 30_000,
    });
    await world.settle(world.registry().arnOf('0f0f', definition, signal));
    expect(world.registered).toHaveLength(1);
  });

  it('free the claim at once where ECS has said no, so that the next one may try', async () => {
    const world = new World();
    const throttled = awsError(
      'ClientException',
      'Too many concurrent attempts to create a new revision of the specified family.',
    );
    const busy = world.registry({ registerTaskDefinition: () => Promise.reject(throttled) });
    await expect(busy.arnOf('0f0f', definition, signal)).rejects.toThrow(ThrottledError);
    await world.settle(world.registry().arnOf('0f0f', definition, signal), 2000);
    expect(world.registered).toHaveLength(1);
  });

  it('keep the claim where ECS did not answer', async () => {
    const world = new World();
    const silent = world.registry({ registerTaskDefinition: () => Promise.reject(noAnswer()) });
    await expect(silent.arnOf('0f0f', definition, signal)).rejects.toThrow(TransientError);
    const next = world.registry().arnOf('0f0f', definition, signal);
    await world.clock.advance(29_000);
    expect(world.registered).toHaveLength(0);
    await world.settle(next);
    expect(world.registered).toHaveLength(1);
  });

  it('are compared with what ECS has kept', async () => {
    const world = new World();
    const forgetful = world.registry({
      registerTaskDefinition: async () => ({
        taskDefinition: { taskDefinitionArn: 'arn:x', containerDefinitions: [{ name: 'main', environment: [] }] },
      }),
    });
    const failure = forgetful.arnOf('0f0f', definition, signal);
    await expect(failure).rejects.toThrow(PermanentError);
    await expect(failure).rejects.toThrow('without environment of container main');
  });

  it('are registered again once they were found inactive', async () => {
    const world = new World();
    const registry = world.registry();
    const arn = await world.settle(registry.arnOf('0f0f', definition, signal));
    await registry.forget(arn);
    expect(await world.settle(registry.arnOf('0f0f', definition, signal))).toBe('arn:x:task-definition/svk-dev-0f0f:2');
  });

  it('are deregistered after 7 days without use', async () => {
    const world = new World();
    const registry = world.registry();
    await world.settle(registry.arnOf('0f0f', definition, signal), 1000);
    await world.clock.advance(7 * DAY - 2000);
    await registry.collect(signal);
    expect(world.deregistered).toEqual([]);
    await world.clock.advance(3000);
    await registry.collect(signal);
    expect(world.deregistered).toEqual(['arn:x:task-definition/svk-dev-0f0f:1']);
    expect(world.resources.resources()).toEqual([]);
  });

  it('stay on the list where they could not be deregistered', async () => {
    const world = new World();
    await world.settle(world.registry().arnOf('0f0f', definition, signal));
    await world.clock.advance(8 * DAY);
    const throttled = world.registry({
      deregisterTaskDefinition: () => Promise.reject(awsError('ThrottlingException', 'x')),
    });
    await expect(throttled.collect(signal)).rejects.toThrow(ThrottledError);
    await world.registry().collect(signal);
    expect(world.deregistered).toHaveLength(1);
  });

  it('are not waited for longer than they can take', async () => {
    const world = new World();
    const now = world.clock.now();
    await world.resources.claim('TASKDEF#0f0f', { id: 'a', now, until: now + 999_999 });
    await expect(world.settle(world.registry().arnOf('0f0f', definition, signal))).rejects.toThrow(TransientError);
  });

  it('are not waited for once the time is over', async () => {
    const world = new World();
    const now = world.clock.now();
    await world.resources.claim('TASKDEF#0f0f', { id: 'a', now, until: now + 999_999 });
    const time = new AbortController();
    const waiting = world.registry().arnOf('0f0f', definition, time.signal);
    await world.clock.advance(1000);
    time.abort();
    await expect(waiting).rejects.toThrow(TransientError);
  });
});

describe('secret parameters', () => {
  const path = '/svk/dev/shop/keys/0f/pw';
  const secret = { path, value: 'hunter2' };

  it('are put once, as SecureStrings of the smallest tier that holds them', async () => {
    const world = new World();
    const put: unknown[] = [];
    const secrets = world.secrets({ putParameter: async (input) => void put.push(input) });
    const large = { path: `${path}2`, value: 'x'.repeat(4097) };
    await secrets.ensure([secret, secret, large], signal);
    await secrets.ensure([secret], signal);
    expect(put).toEqual([
      { Name: path, Value: 'hunter2', Type: 'SecureString', Tier: 'Standard', Overwrite: true },
      { Name: `${path}2`, Value: large.value, Type: 'SecureString', Tier: 'Advanced', Overwrite: true },
    ]);
  });

  it('show their value in no row and no error', async () => {
    const world = new World();
    const refusal = awsError('ValidationException', "Value 'hunter2' at 'value' failed to satisfy constraint");
    const secrets = world.secrets({ putParameter: () => Promise.reject(refusal) });
    const error = await secrets.ensure([secret], signal).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SvkError);
    expect(String(error)).toContain('SSM PutParameter');
    expect(
      JSON.stringify([String(error), error instanceof Error && error.cause, world.resources.resources()]),
    ).not.toContain('hunter2');
  });

  it('are deleted an hour after their last use, and a little', async () => {
    const world = new World();
    const deleted: unknown[] = [];
    const secrets = world.secrets({
      putParameter: async () => {},
      deleteParameter: async (input) => void deleted.push(input),
    });
    await secrets.ensure([secret], signal);
    await world.clock.advance(HOUR / 2);
    await secrets.ensure([secret], signal);
    await world.clock.advance(HOUR);
    await secrets.collect(signal);
    expect(deleted).toEqual([]);
    await world.clock.advance(300_001);
    await secrets.collect(signal);
    expect(deleted).toEqual([{ Name: path }]);
    expect(world.resources.resources()).toEqual([]);
  });

  it('stay on the list where they could not be deleted', async () => {
    const world = new World();
    const deleted: unknown[] = [];
    let isBusy = true;
    const secrets = world.secrets({
      putParameter: async () => {},
      deleteParameter: async (input) => {
        if (isBusy) throw awsError('ThrottlingException', 'x');
        deleted.push(input);
      },
    });
    await secrets.ensure([secret], signal);
    await world.clock.advance(2 * HOUR);
    await expect(secrets.collect(signal)).rejects.toThrow(ThrottledError);
    isBusy = false;
    await secrets.collect(signal);
    expect(deleted).toEqual([{ Name: path }]);
    expect(world.resources.resources()).toEqual([]);
  });

  it('are put again where the collector takes one away from under whoever wants to use it', async () => {
    const world = new World();
    const put: unknown[] = [];
    const secrets = world.secrets({ putParameter: async ({ Name }) => void put.push(Name) });
    await secrets.ensure([secret], signal);
    await world.clock.advance(HOUR);
    world.resources.before = async (method) => {
      if (method !== 'touch') return;
      world.resources.before = undefined;
      await world.resources.drop(`SECRET#${path}`);
    };
    await secrets.ensure([secret], signal);
    expect(put).toEqual([path, path]);
    expect(world.resources.resources()).toMatchObject([{ key: `SECRET#${path}`, usedAt: world.clock.now() }]);
  });

  it('that are gone already count as deleted', async () => {
    const world = new World();
    const secrets = world.secrets({
      putParameter: async () => {},
      deleteParameter: () => Promise.reject(awsError('ParameterNotFound', 'x')),
    });
    await secrets.ensure([secret], signal);
    await world.clock.advance(2 * HOUR);
    await secrets.collect(signal);
    expect(world.resources.resources()).toEqual([]);
  });

  it('are put again once they were deleted', async () => {
    const world = new World();
    let puts = 0;
    const secrets = world.secrets({ putParameter: async () => void (puts += 1), deleteParameter: async () => {} });
    await secrets.ensure([secret], signal);
    await world.clock.advance(2 * HOUR);
    await secrets.collect(signal);
    await secrets.ensure([secret], signal);
    expect(puts).toBe(2);
  });
});
