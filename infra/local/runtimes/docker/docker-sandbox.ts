import * as z from 'zod/mini';
import {
  type ContainerSpec,
  type OutputSink,
  type PulledImage,
  type RunningContainer,
  StartFailure,
  type TaskSandbox,
  type TaskSpec,
} from '../runtime.ts';
import { containerSettings, ulimitsOf } from './container-settings.ts';
import { DockerContainer } from './docker-container.ts';
import type { EngineClient } from './engine-client.ts';
import { messageOf, unlessGone } from './engine-error.ts';
import { startFailure } from './failure-words.ts';
import type { Limiter } from './limiter.ts';
import { imageOf } from './pull-image.ts';

/** What all tasks of one run share. */
export interface DockerRun {
  readonly engine: EngineClient;
  readonly labels: Readonly<Record<string, string>>;
  readonly pauseImage: string;
  readonly network: string;
  readonly cpus: number;
  /** What a container gets that asks for nothing; undefined where the engine cannot give as many as Fargate. */
  readonly openFiles?: { readonly soft: number; readonly hard: number };
  /** An engine that is asked for a hundred containers at once answers nobody. */
  readonly limiter: Limiter;
}

const created = z.object({ Id: z.string() });
const address = z.object({
  NetworkSettings: z.object({ Networks: z.record(z.string(), z.object({ IPAddress: z.string() })) }),
});

/** One task: a paused container that holds its network, its volumes, and the containers that join it. */
export class DockerSandbox implements TaskSandbox {
  readonly ip: string;
  readonly #run: DockerRun;
  readonly #task: TaskSpec;
  readonly #pauseId: string;
  readonly #volumes: ReadonlyMap<string, string>;
  readonly #onClose: () => void;
  readonly #specs = new Map<string, ContainerSpec>();
  readonly #made = new Map<string, Promise<string>>();
  readonly #ids = new Map<string, string>();
  readonly #stopSignals = new Map<string, string>();
  readonly #running = new Set<DockerContainer>();
  #closing: Promise<void> | undefined;

  private constructor(run: DockerRun, task: TaskSpec, made: Made, onClose: () => void) {
    this.#run = run;
    this.#task = task;
    this.ip = made.ip;
    this.#pauseId = made.pauseId;
    this.#volumes = made.volumes;
    this.#onClose = onClose;
  }

  /** @throws {StartFailure} where the engine cannot; what it had made is removed. */
  static async open(run: DockerRun, task: TaskSpec, onClose: () => void): Promise<DockerSandbox> {
    const volumes = new Map(task.volumes.map((name) => [name, `svk-${task.id}-${name}`]));
    try {
      const { ip, pauseId } = await run.limiter.run(() => openNetwork(run, task, [...volumes.values()]));
      return new DockerSandbox(run, task, { ip, pauseId, volumes }, onClose);
    } catch (error) {
      await removeTask(run, [`svk-${task.id}`], [...volumes.values()]).catch(() => undefined);
      throw new StartFailure(`InternalError: the task's network could not be made: ${messageOf(error)}`);
    }
  }

  async pull(container: ContainerSpec, signal: AbortSignal): Promise<PulledImage> {
    this.#specs.set(container.name, container);
    const { digest, stopSignal } = await imageOf(this.#run.engine, container, signal);
    this.#stopSignals.set(container.name, stopSignal);
    return { digest };
  }

  async start(container: ContainerSpec, output: OutputSink): Promise<RunningContainer> {
    this.#specs.set(container.name, container);
    const id = await this.#create(container.name, container.image);
    const stopSignal = this.#stopSignals.get(container.name) ?? 'SIGTERM';
    const { engine, limiter } = this.#run;
    const started = await limiter.run(() => {
      if (this.#closing) throw new StartFailure('CannotStartContainerError: the task is being removed');
      return DockerContainer.start({ engine, id, tty: container.tty, stopSignal }, output);
    });
    this.#running.add(started);
    void started.exited.then(() => this.#running.delete(started));
    if (this.#closing) started.kill();
    return started;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Made once: a container that is started again keeps its files, as ECS's restart policy has it. */
  #create(name: string, image: string): Promise<string> {
    const known = this.#made.get(name);
    if (known) return known;
    const making = this.#createNew(name, image);
    this.#made.set(name, making);
    making.catch(() => this.#made.delete(name));
    return making;
  }

  async #createNew(name: string, image: string): Promise<string> {
    const spec = this.#specs.get(name);
    if (!spec) throw new StartFailure(`CannotCreateContainerError: volumesFrom names "${name}", which has no image`);
    // The agent, too, makes those whose volumes are taken over first; they need not run.
    for (const { container } of spec.mountsFrom) await this.#create(container, image);
    const { engine, labels, cpus, openFiles, limiter } = this.#run;
    try {
      const body = containerSettings(spec, {
        task: this.#task,
        pauseId: this.#pauseId,
        labels,
        volumes: this.#volumes,
        containers: this.#ids,
        cpus,
        openFiles,
      });
      const query = { name: `svk-${this.#task.id}-${name}` };
      const answer = await limiter.run(() => engine.call('POST', '/containers/create', { query, body }));
      const { Id } = z.parse(created, answer);
      this.#ids.set(name, Id);
      return Id;
    } catch (error) {
      throw startFailure('create', error);
    }
  }

  async #close(): Promise<void> {
    for (const container of this.#running) container.kill();
    await Promise.all([...this.#running].map(({ exited }) => exited));
    await Promise.allSettled(this.#made.values());
    try {
      const { limiter } = this.#run;
      await limiter.run(() =>
        removeTask(this.#run, [...this.#ids.values(), this.#pauseId], [...this.#volumes.values()]),
      );
    } finally {
      this.#onClose();
    }
  }
}

interface Made {
  readonly ip: string;
  readonly pauseId: string;
  readonly volumes: ReadonlyMap<string, string>;
}

/** Starts the container that holds the task's network. The engine's own error goes on. */
const openNetwork = async (
  { engine, labels, pauseImage, network, openFiles }: DockerRun,
  task: TaskSpec,
  volumes: readonly string[],
): Promise<{ readonly ip: string; readonly pauseId: string }> => {
  for (const Name of volumes) await engine.call('POST', '/volumes/create', { body: { Name, Labels: labels } });
  const body = {
    Image: pauseImage,
    Hostname: `task-${task.id.slice(0, 12)}`,
    Labels: { ...labels, 'com.amazonaws.ecs.task-arn': task.arn },
    HostConfig: {
      NetworkMode: network,
      LogConfig: { Type: 'none' },
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      Ulimits: ulimitsOf(openFiles),
    },
  };
  const query = { name: `svk-${task.id}` };
  const { Id } = z.parse(created, await engine.call('POST', '/containers/create', { query, body }));
  await engine.call('POST', `/containers/${Id}/start`);
  const { NetworkSettings } = z.parse(address, await engine.call('GET', `/containers/${Id}/json`));
  const ip = NetworkSettings.Networks[network]?.IPAddress;
  if (!ip) throw new Error('the engine gave the network no IPv4 address');
  return { ip, pauseId: Id };
};

/** An engine that hangs must not keep a task from its end; what it keeps is removed with the run. */
const removeWithinMs = 20_000;

const removeTask = async (
  { engine }: DockerRun,
  containers: readonly string[],
  volumes: readonly string[],
): Promise<void> => {
  const signal = AbortSignal.timeout(removeWithinMs);
  for (const id of containers) {
    await unlessGone(engine.call('DELETE', `/containers/${id}`, { query: { force: '1', v: '1' }, signal }));
  }
  for (const name of volumes) await unlessGone(engine.call('DELETE', `/volumes/${name}`, { signal }));
};
