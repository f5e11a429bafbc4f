import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { StartFailure, type TaskRuntime, type TaskSandbox, type TaskSpec } from '../runtime.ts';
import { type DockerRun, DockerSandbox } from './docker-sandbox.ts';
import { type EngineAddress, isLocal } from './engine-address.ts';
import { EngineClient } from './engine-client.ts';
import { messageOf } from './engine-error.ts';
import { Limiter } from './limiter.ts';
import { labelsOf, newRun, removeDeadRuns, removeRun } from './ownership.ts';
import { pauseProgram } from './pause-program.ts';
import { tarOf } from './tar.ts';

const info = z.object({ Architecture: z.string(), NCPU: z.int(), OSType: z.string() });
const network = z.object({
  IPAM: z.object({ Config: z.array(z.object({ Gateway: z.optional(z.string()), Subnet: z.string() })) }),
});

/** How many calls that make or remove containers the engine gets at once. */
const parallel = 4;

/**
 * Runs each task as real containers of a Docker engine: one network namespace with its own address, held open by a tiny
 * paused container, which the task's containers join. All that it makes carries the label `dev.svk.local`; it is removed
 * with `close`, or by the next runtime of this machine after a crash.
 */
export class DockerRuntime implements TaskRuntime {
  readonly name = 'docker';
  /** Such as `20.10.24`. */
  readonly engineVersion: string;
  /** The value of the label on everything this runtime makes. */
  readonly run: string;
  readonly hostAddress?: string;
  readonly #shared: DockerRun;
  readonly #sandboxes = new Set<DockerSandbox>();
  readonly #opening = new Set<Promise<unknown>>();
  #closed = false;

  private constructor(run: string, shared: DockerRun, hostAddress: string | undefined) {
    this.run = run;
    this.#shared = shared;
    this.engineVersion = shared.engine.engineVersion;
    if (hostAddress !== undefined) this.hostAddress = hostAddress;
  }

  /**
   * Removes what dead runs left, makes the run's network and the image of the paused containers.
   * @throws {EngineGone} where no engine answers; {@link EngineError} where it refuses.
   */
  static async start(address: EngineAddress): Promise<DockerRuntime> {
    const engine = await EngineClient.connect(address);
    const { Architecture, NCPU, OSType } = z.parse(info, await engine.call('GET', '/info'));
    if (OSType !== 'linux') throw new Error(`the container engine runs ${OSType} containers: Linux is needed`);
    await removeDeadRuns(engine);
    const run = newRun(randomBytes(4).toString('hex'));
    const name = `svk-${run}`;
    try {
      await importPauseImage(engine, name, Architecture, run);
      await engine.call('POST', '/networks/create', {
        body: { Name: name, CheckDuplicate: true, Labels: labelsOf(run) },
      });
      const gateway = z.parse(network, await engine.call('GET', `/networks/${name}`)).IPAM.Config[0]?.Gateway;
      const limiter = new Limiter(parallel);
      const shared = { engine, labels: labelsOf(run), pauseImage: name, network: name, cpus: NCPU, limiter };
      const openFiles = await tryOut(shared);
      return new DockerRuntime(
        run,
        { ...shared, ...(openFiles && { openFiles }) },
        isLocal(address) ? gateway : undefined,
      );
    } catch (error) {
      await removeRun(engine, run).catch(() => undefined);
      throw error;
    }
  }

  async openTask(task: TaskSpec): Promise<TaskSandbox> {
    if (this.#closed) throw new StartFailure('InternalError: the docker runtime is closed');
    const opening = DockerSandbox.open(this.#shared, task, () => this.#sandboxes.delete(sandbox));
    this.#opening.add(opening);
    const sandbox = await opening.finally(() => this.#opening.delete(opening));
    this.#sandboxes.add(sandbox);
    return sandbox;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#opening);
    await Promise.allSettled([...this.#sandboxes].map((sandbox) => sandbox.close()));
    // Also whatever an engine that was away for a while has kept.
    await removeRun(this.#shared.engine, this.run);
  }
}

/** Made here of a program of a few hundred bytes: no registry is asked. */
const importPauseImage = async (
  engine: EngineClient,
  name: string,
  architecture: string,
  run: string,
): Promise<void> => {
  const program = { kind: 'file' as const, path: 'pause', mode: 0o755, content: pauseProgram(architecture) };
  const changes = ['CMD ["/pause"]', ...Object.entries(labelsOf(run)).map(([key, value]) => `LABEL ${key}=${value}`)];
  const query = new URLSearchParams({ fromSrc: '-', repo: name, tag: 'latest' });
  for (const change of changes) query.append('changes', change);
  await engine.call('POST', '/images/create', { query, body: tarOf([program]) });
};

/** What Fargate gives unless the definition says otherwise (developer guide, "task definition parameters"). */
const fargateOpenFiles = { soft: 65_535, hard: 65_535 };

/**
 * Opens and closes an empty task: an engine that answers, but can run nothing, is found out here. Answers the open files it
 * can give; undefined where its own limit is lower than Fargate's.
 * @throws {StartFailure}
 */
const tryOut = async (shared: DockerRun): Promise<DockerRun['openFiles']> => {
  const task = {
    id: randomBytes(16).toString('hex'),
    arn: 'none',
    cpuUnits: 256,
    memoryMiB: 512,
    sharedPids: false,
    volumes: [],
  };
  try {
    const sandbox = await DockerSandbox.open({ ...shared, openFiles: fargateOpenFiles }, task, () => {});
    await sandbox.close();
    return fargateOpenFiles;
  } catch (error) {
    if (!/rlimit/.test(messageOf(error))) throw error;
    const sandbox = await DockerSandbox.open(shared, task, () => {});
    await sandbox.close();
    return undefined;
  }
};
