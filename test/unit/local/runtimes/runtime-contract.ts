import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContainerSpec, TaskRuntime, TaskSandbox } from '../../../../infra/local/runtimes/runtime.ts';
import { StartFailure } from '../../../../infra/local/runtimes/runtime.ts';

/** A container with nothing special. */
export const spec = (changes: Partial<ContainerSpec> = {}): ContainerSpec => ({
  name: 'app',
  image: 'busybox:1.37',
  environment: {},
  cpuShares: 0,
  readOnlyRoot: false,
  addCapabilities: [],
  dropCapabilities: [],
  initProcess: false,
  stdin: false,
  tty: false,
  sysctls: {},
  labels: {},
  mounts: [],
  mountsFrom: [],
  ...changes,
});

const task = {
  id: '0123456789abcdef0123456789abcdef',
  arn: 'arn:aws:ecs:eu-central-1:123456789012:task/pods/0123456789abcdef0123456789abcdef',
  cpuUnits: 256,
  memoryMiB: 512,
  sharedPids: false,
  volumes: [],
};

/** Containers that behave in a known way on the runtime under test. */
export interface Behaviours {
  readonly printsAndExits3: ContainerSpec;
  /** Prints `ready` and runs until SIGTERM, on which it ends at once without handling it. */
  readonly runs: ContainerSpec;
  /** Prints `ready` and takes no notice of SIGTERM. */
  readonly ignoresTerm: ContainerSpec;
  readonly cannotStart: ContainerSpec;
}

/** What every runtime promises to the emulator. */
export const describeTaskRuntime = (
  name: string,
  make: () => TaskRuntime | Promise<TaskRuntime>,
  behaviours: Behaviours,
): void => {
  describe(`runtime ${name}`, () => {
    let runtime: TaskRuntime;
    let sandbox: TaskSandbox;

    beforeEach(async () => {
      runtime = await make();
      sandbox = await runtime.openTask(task);
    });

    afterEach(async () => {
      await runtime.close();
    });

    const start = async (container: ContainerSpec) => {
      const output: Buffer[] = [];
      let onReady = (): void => {};
      const ready = new Promise<void>((resolve) => {
        onReady = resolve;
      });
      const running = await sandbox.start(container, (chunk) => {
        output.push(Buffer.from(chunk));
        if (Buffer.concat(output).includes('ready')) onReady();
      });
      return { running, ready, text: () => Buffer.concat(output).toString() };
    };

    it('gives tasks different addresses and an image a digest', async () => {
      const other = await runtime.openTask({ ...task, id: 'f'.repeat(32) });
      expect(other.ip).not.toBe(sandbox.ip);
      const { digest } = await sandbox.pull(behaviours.runs, new AbortController().signal);
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    });

    it('reports output and exit code', async () => {
      const { running, text } = await start(behaviours.printsAndExits3);
      expect(await running.exited).toEqual({ exitCode: 3 });
      expect(text()).toBe('hello\n');
    });

    it('ends on SIGTERM with 143', async () => {
      const { running, ready } = await start(behaviours.runs);
      await ready;
      running.terminate();
      expect(await running.exited).toEqual({ exitCode: 143 });
    });

    it('ends on SIGKILL with 137 when SIGTERM is ignored', async () => {
      const { running, ready } = await start(behaviours.ignoresTerm);
      await ready;
      running.terminate();
      running.kill();
      expect(await running.exited).toEqual({ exitCode: 137 });
    });

    it('leaves an ended container alone', async () => {
      const { running } = await start(behaviours.printsAndExits3);
      await running.exited;
      running.terminate();
      running.kill();
      expect(await running.exited).toEqual({ exitCode: 3 });
    });

    it('says why a container cannot start', async () => {
      const error: unknown = await sandbox.start(behaviours.cannotStart, () => {}).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StartFailure);
      expect(String(error)).toContain('CannotStartContainerError: ');
    });

    it('ends everything when it closes', async () => {
      const { running, ready } = await start(behaviours.ignoresTerm);
      await ready;
      await runtime.close();
      expect(await running.exited).toEqual({ exitCode: 137 });
    });
  });
};
