import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DockerRuntime } from '../../infra/local/runtimes/docker/docker-runtime.ts';
import { waitFor } from '../support/local-cloud.ts';
import { type DockerWorld, shell, startDockerWorld } from './support/docker-world.ts';
import { address, hasEngine } from './support/engine.ts';
import { type EngineProxy, startEngineProxy } from './support/engine-proxy.ts';
import { makeImages } from './support/images.ts';
import { leftoverKinds, leftovers } from './support/leftovers.ts';

const forever = 'echo up; while :; do sleep 1; done';

describe.skipIf(!hasEngine)('an engine', () => {
  beforeAll(() => makeImages());

  const startProxied = async (): Promise<{ readonly proxy: EngineProxy; readonly world: DockerWorld }> => {
    const proxy = await startEngineProxy(address);
    const world = await startDockerWorld({ engine: proxy.address });
    onTestFinished(async () => {
      await proxy.mend();
      await world.close();
      await proxy.close();
    });
    return { proxy, world };
  };

  it('that is gone in mid-run ends its tasks, and says so', async () => {
    const { proxy, world } = await startProxied();
    const run = await world.run([shell(forever)]);
    await run.prints('up');
    await proxy.cut();
    const { stopCode, containers } = await run.reaches('STOPPED');
    expect(stopCode).toBe('EssentialContainerExited');
    expect(containers?.[0]?.reason).toMatch(/^ContainerRuntimeError: the container engine at \S+ does not answer: /);
    expect(containers?.[0]?.exitCode).toBeUndefined();

    const next = await world.run([shell('true')]);
    expect((await next.reaches('STOPPED')).stoppedReason).toMatch(
      /^InternalError: the task's network could not be made: the container engine at \S+ does not answer: /,
    );

    // Back again, it runs tasks as before; what was lost is removed with the rest.
    await proxy.mend();
    const later = await world.run([shell('echo back')]);
    expect(await later.reaches('STOPPED')).toMatchObject({ containers: [{ exitCode: 0 }] });
    await world.aws.close();
    expect(await leftovers(world.runtime.run)).toEqual([]);
  });

  it('that only broke off is asked again: the task goes on', async () => {
    const { proxy, world } = await startProxied();
    const run = await world.run([shell('echo up; sleep 6; echo still here; sleep 1; exit 3')]);
    await run.prints('up');
    await proxy.cut();
    await proxy.mend();
    expect(await run.reaches('STOPPED')).toMatchObject({ containers: [{ exitCode: 3 }] });
    expect(await run.log()).toEqual(['up', 'still here']);
  });

  it('that hangs does not hang a task that is to stop', async () => {
    const { proxy, world } = await startProxied();
    const run = await world.run([shell(forever, { stopTimeout: 2 })]);
    await run.prints('up');
    proxy.freeze();
    await run.stop();
    const { containers } = await run.reaches('STOPPED');
    expect(containers?.[0]?.reason).toBe(
      'ContainerRuntimeTimeoutError: Could not transition to stopped; timed out after waiting 30s',
    );
  });

  it('is rid of what a crashed run left, and of nothing else', async () => {
    const script = `
      import { DockerRuntime } from './infra/local/runtimes/docker/docker-runtime.ts';
      const runtime = await DockerRuntime.start(${JSON.stringify(address)});
      await runtime.openTask({ id: 'c'.repeat(32), arn: 'a', cpuUnits: 256, memoryMiB: 512, sharedPids: false, volumes: ['v'] });
      console.log(runtime.run);
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script]);
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    const crashed = first.toString().trim();
    const alive = await DockerRuntime.start(address);
    onTestFinished(() => alive.close());
    // It was alive a moment ago, and its things were left alone.
    expect(await leftoverKinds(crashed)).toEqual(['container', 'volume', 'network', 'image']);
    child.kill('SIGKILL');
    await once(child, 'exit');

    const next = await DockerRuntime.start(address);
    onTestFinished(() => next.close());
    expect(await leftovers(crashed)).toEqual([]);
    expect(await leftoverKinds(alive.run)).toEqual(['network', 'image']);
  });

  it('that is not there is named, with the way out', async () => {
    await expect(DockerRuntime.start({ socketPath: '/nowhere/docker.sock' })).rejects.toThrow(
      'the container engine at /nowhere/docker.sock does not answer: connect ENOENT /nowhere/docker.sock',
    );
  });

  it('keeps no connection once its tasks have ended', async () => {
    const { proxy, world } = await startProxied();
    const run = await world.run([shell('true')]);
    await run.reaches('STOPPED');
    await waitFor(() => proxy.open === 0, { what: 'the last connection’s end' });
  });
});
