import { UpdateClusterSettingsCommand } from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { NotFoundError } from '../../../src/core/errors.ts';
import { startUpMs } from '../ecs-emulator/harness.ts';
import { fargateWorld } from './fargate-world.ts';

const { signal } = new AbortController();
const MINUTE = 60_000;

describe('figures of tasks on Fargate', () => {
  it('come from Container Insights, once it is on and a minute has passed', async () => {
    const { provider, world } = await fargateWorld();
    await expect(provider.stats(signal)).rejects.toThrow(NotFoundError);
    const settings = [{ name: 'containerInsights' as const, value: 'enabled' }];
    await world.ecs.send(new UpdateClusterSettingsCommand({ cluster: 'pods', settings }));
    const preparation = provider.prepare(
      {
        metadata: { uid: 'uid-1', name: 'web', namespace: 'shop' },
        spec: { containers: [{ name: 'main', image: 'app:1' }] },
      },
      {
        node: 'fargate',
        environment: { main: { env: [{ name: 'SVK_SIMULATE', value: 'use 0.2 64', origin: 'template' }] } },
      },
    );
    if (!preparation.ok) throw new Error(JSON.stringify(preparation.problems));
    const token = { podUid: 'uid-1', attempt: 1, try: 1 };
    const request = await provider.provision(preparation.prepared, token, signal);
    expect((await provider.launch(request, signal)).kind).toBe('started');
    await world.clock.advance(startUpMs + 3 * MINUTE);
    const [stats] = await provider.stats(signal);
    expect(stats).toMatchObject({ podUid: 'uid-1', containers: [{ name: 'main' }] });
    const [main] = stats?.containers ?? [];
    expect(main?.memory?.workingSetBytes).toBe(64 * 1_048_576);
    expect(main?.cpu?.usageNanoCores).toBeCloseTo(0.2e9, -3);
    const seconds = ((main?.at ?? 0) - (main?.startedAt ?? 0)) / 1000;
    expect(seconds).toBeGreaterThan(100);
    expect((main?.cpu?.usageCoreNanoSeconds ?? 0) / 1e9).toBeCloseTo(seconds * 0.2, 3);
  });
});
