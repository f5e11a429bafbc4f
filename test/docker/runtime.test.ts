import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { chooseRuntime } from '../../infra/local/cloud/runtime-choice.ts';
import { DockerRuntime } from '../../infra/local/runtimes/docker/docker-runtime.ts';
import type { ContainerSpec } from '../../infra/local/runtimes/runtime.ts';
import { describeTaskRuntime, spec } from '../unit/local/runtimes/runtime-contract.ts';
import { address, hasEngine } from './support/engine.ts';
import { makeImages, testImage } from './support/images.ts';

const shell = (script: string, changes: Partial<ContainerSpec> = {}): ContainerSpec =>
  spec({ image: testImage, entryPoint: ['/bin/sh'], command: ['-c', script], ...changes });

describe.skipIf(!hasEngine)('on a container engine', () => {
  beforeAll(() => makeImages());

  describeTaskRuntime('docker', () => DockerRuntime.start(address), {
    printsAndExits3: shell('echo hello; exit 3'),
    // Process 1 of a container takes no notice of SIGTERM unless it says so: the engine's init process passes it on.
    runs: shell('echo ready; exec sleep 600', { initProcess: true }),
    ignoresTerm: shell("trap '' TERM; echo ready; while :; do sleep 600; done"),
    cannotStart: spec({ image: testImage, command: ['no-such-command-anywhere'] }),
  });

  it('is chosen by itself, and said in one line', async () => {
    const { runtime, line } = await chooseRuntime(undefined, process.env['DOCKER_HOST']);
    onTestFinished(() => runtime.close());
    expect(runtime.name).toBe('docker');
    expect(line).toMatch(/^docker: real containers by the engine \d\S* at \S+$/);
  });
});
