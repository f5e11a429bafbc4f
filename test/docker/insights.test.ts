import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { UpdateClusterSettingsCommand } from '@aws-sdk/client-ecs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { waitFor } from '../support/local-cloud.ts';
import { type DockerWorld, shell, startDockerWorld } from './support/docker-world.ts';
import { hasEngine } from './support/engine.ts';
import { makeImages } from './support/images.ts';

describe.skipIf(!hasEngine)('Container Insights of real containers', () => {
  let world: DockerWorld;
  let logs: CloudWatchLogsClient;

  beforeAll(async () => {
    await makeImages();
    world = await startDockerWorld({ insightsPeriodMs: 2000 });
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    logs = new CloudWatchLogsClient({ endpoint: world.aws.url, region: 'eu-central-1', credentials });
    const settings = [{ name: 'containerInsights' as const, value: 'enabled' }];
    await world.ecs.send(new UpdateClusterSettingsCommand({ cluster: 'pods', settings }));
  });

  afterAll(async () => {
    logs.destroy();
    await world.close();
  });

  const latest = async (container: string): Promise<Readonly<Record<string, unknown>> | undefined> => {
    const logGroupName = '/aws/ecs/containerinsights/pods/performance';
    const request = new FilterLogEventsCommand({ logGroupName, filterPattern: '{ $.Type = "Container" }' });
    const { events = [] } = await logs.send(request).catch(() => ({ events: [] }));
    return events
      .map(({ message = '' }) => JSON.parse(message) as Record<string, unknown>)
      .findLast(({ ContainerName }) => ContainerName === container);
  };

  it('tells what they use by the engine’s statistics', async () => {
    const run = await world.run([
      shell('while :; do :; done', { name: 'busy', stopTimeout: 2 }),
      // 40 MiB in a variable of a shell, which a last command would replace.
      shell('x=$(head -c 41943040 /dev/zero | tr "\\0" x); echo held; sleep 600; :', { name: 'holds', stopTimeout: 2 }),
    ]);
    onTestFinished(() => run.stop());
    await run.prints('held', 'holds');
    await waitFor(async () => Number((await latest('holds'))?.['MemoryUtilized']) >= 40, { withinMs: 60_000 });
    // The task has a quarter of a core, which each container may use up.
    const busy = Number((await latest('busy'))?.['CpuUtilized']);
    expect(busy).toBeGreaterThan(50);
    expect(busy).toBeLessThan(400);
    const holds = await latest('holds');
    expect(holds?.['MemoryUtilized']).toBeLessThan(200);
    expect(holds?.['TaskId']).toBe(run.arn.split('/').at(-1));
  });
});
