import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { DockerRuntime } from '../runtimes/docker/docker-runtime.ts';
import { describeAddress, engineAddress } from '../runtimes/docker/engine-address.ts';
import { EngineGone, messageOf } from '../runtimes/docker/engine-error.ts';
import { ProcessRuntime } from '../runtimes/process/process-runtime.ts';
import type { TaskRuntime } from '../runtimes/runtime.ts';
import { SimulatedRuntime } from '../runtimes/simulated/simulated-runtime.ts';
import type { RuntimeName } from './runtime-names.ts';

/** What tasks run on, and how to say so in one line. */
export interface ChosenRuntime {
  readonly runtime: TaskRuntime;
  readonly line: string;
}

/**
 * The runtime of that name; without one real containers where a container engine answers, else local processes.
 * @param dockerHost the variable `DOCKER_HOST`.
 * @throws {Error} saying what to do, where `docker` was asked for by name and cannot be had.
 */
export const chooseRuntime = async (name?: RuntimeName, dockerHost?: string): Promise<ChosenRuntime> => {
  switch (name) {
    case 'simulated':
      return { runtime: new SimulatedRuntime(new SystemClock()), line: 'simulated: nothing runs' };
    case 'process':
      return processes();
    case 'docker':
      try {
        return await containers(dockerHost);
      } catch (error) {
        throw new Error(
          `--runtime docker: ${messageOf(error)}. Start a container engine, name its socket in DOCKER_HOST, or use --runtime process.`,
          { cause: error },
        );
      }
    case undefined:
      try {
        return await containers(dockerHost);
      } catch (error) {
        return processes(`; no containers: ${whyNot(error, dockerHost)}`);
      }
    default:
      return name satisfies never;
  }
};

const containers = async (dockerHost: string | undefined): Promise<ChosenRuntime> => {
  const address = engineAddress(dockerHost);
  const runtime = await DockerRuntime.start(address);
  return {
    runtime,
    line: `docker: real containers by the engine ${runtime.engineVersion} at ${describeAddress(address)}`,
  };
};

/** Most machines have no engine, which needs no more words. */
const whyNot = (error: unknown, dockerHost: string | undefined): string =>
  error instanceof EngineGone ? `no engine answers at ${describeAddress(engineAddress(dockerHost))}` : messageOf(error);

const processes = (why = ''): ChosenRuntime => ({
  runtime: new ProcessRuntime(),
  line: `process: commands run as local processes, without isolation and without images${why}`,
});
