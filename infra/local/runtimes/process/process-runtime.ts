import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { LoopbackAddresses } from '../addresses.ts';
import {
  type ContainerSpec,
  type OutputSink,
  type PulledImage,
  type RunningContainer,
  StartFailure,
  type TaskRuntime,
  type TaskSandbox,
} from '../runtime.ts';
import { placeholderFor } from './placeholder.ts';
import { ProcessContainer } from './process-container.ts';

/**
 * Runs each container's command as a local process: no image, no isolation, no volumes, no limits, and all tasks share the
 * machine's ports. The process sees the container's environment with a PATH and a HOME, and nothing of ours.
 */
export class ProcessRuntime implements TaskRuntime {
  readonly name = 'process';
  readonly hostAddress = '127.0.0.1';
  readonly #addresses = new LoopbackAddresses(8);
  readonly #sandboxes = new Set<ProcessSandbox>();
  readonly #path: string;
  #closed = false;

  /** @param path where commands are looked for; folders of this project's own tools are left out. */
  constructor(path = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin') {
    this.#path = path
      .split(':')
      .filter((folder) => !folder.includes('node_modules'))
      .join(':');
    process.once('exit', this.#killAll);
  }

  async openTask(): Promise<TaskSandbox> {
    if (this.#closed) throw new StartFailure('InternalError: the process runtime is closed');
    const sandbox: ProcessSandbox = new ProcessSandbox({
      ip: this.#addresses.take(),
      home: await mkdtemp(join(tmpdir(), 'svk-task-')),
      path: this.#path,
      onClose: () => {
        this.#addresses.give(sandbox.ip);
        this.#sandboxes.delete(sandbox);
      },
    });
    this.#sandboxes.add(sandbox);
    return sandbox;
  }

  async close(): Promise<void> {
    this.#closed = true;
    process.removeListener('exit', this.#killAll);
    await Promise.all([...this.#sandboxes].map((sandbox) => sandbox.close()));
  }

  /** Also when our own process ends in a hurry. */
  readonly #killAll = (): void => {
    for (const sandbox of this.#sandboxes) sandbox.killAll();
  };
}

interface Place {
  readonly ip: string;
  readonly home: string;
  readonly path: string;
  readonly onClose: () => void;
}

class ProcessSandbox implements TaskSandbox {
  readonly ip: string;
  readonly #place: Place;
  readonly #running = new Set<ProcessContainer>();
  #closed = false;

  constructor(place: Place) {
    this.ip = place.ip;
    this.#place = place;
  }

  /** There is nothing to pull; the digest is made up from the image's name. */
  async pull({ image }: ContainerSpec): Promise<PulledImage> {
    return { digest: `sha256:${createHash('sha256').update(image).digest('hex')}` };
  }

  async start(container: ContainerSpec, output: OutputSink): Promise<RunningContainer> {
    if (container.mounts.length + container.mountsFrom.length > 0) {
      throw new StartFailure(
        `CannotStartContainerError: container "${container.name}" mounts volumes, which the process runtime does not have: use a runtime with real containers`,
      );
    }
    const argv = [...(container.entryPoint ?? []), ...(container.command ?? [])];
    const { home, path } = this.#place;
    const directory = join(home, normalize(`/${container.workingDirectory ?? ''}`));
    await mkdir(directory, { recursive: true });
    if (this.#closed) throw new StartFailure('CannotStartContainerError: the task is being removed');
    const started = await ProcessContainer.start(
      {
        argv: argv.length > 0 ? argv : placeholderFor(container),
        directory,
        environment: { PATH: path, HOME: home, ...container.environment },
      },
      output,
    );
    this.#running.add(started);
    void started.exited.then(() => this.#running.delete(started));
    if (this.#closed) started.kill();
    return started;
  }

  killAll(): void {
    for (const container of this.#running) container.kill();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.killAll();
    await Promise.all([...this.#running].map(({ exited }) => exited));
    await rm(this.#place.home, { recursive: true, force: true });
    this.#place.onClose();
  }
}
