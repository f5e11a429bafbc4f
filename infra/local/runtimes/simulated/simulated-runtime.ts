import { createHash } from 'node:crypto';
import type { Clock } from '../../../../src/core/clock.ts';
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
import { parseScript, pullErrors, type Script } from './script.ts';
import { SimulatedContainer } from './simulated-container.ts';

/**
 * Runs nothing: a container does what its environment variable `SVK_SIMULATE` or its docker label `svk.dev/simulate` says,
 * in the clock's time, and otherwise runs until it is stopped. Addresses are pretended; nobody listens there.
 */
export class SimulatedRuntime implements TaskRuntime {
  readonly name = 'simulated';
  readonly #clock: Clock;
  readonly #addresses = new LoopbackAddresses(9);
  readonly #open = new Set<TaskSandbox>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async openTask(): Promise<TaskSandbox> {
    const ip = this.#addresses.take();
    const sandbox: SimulatedSandbox = new SimulatedSandbox(ip, this.#clock, () => {
      if (this.#open.delete(sandbox)) this.#addresses.give(ip);
    });
    this.#open.add(sandbox);
    return sandbox;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((sandbox) => sandbox.close()));
  }
}

class SimulatedSandbox implements TaskSandbox {
  readonly ip: string;
  readonly #clock: Clock;
  readonly #onClose: () => void;
  readonly #running = new Set<SimulatedContainer>();

  constructor(ip: string, clock: Clock, onClose: () => void) {
    this.ip = ip;
    this.#clock = clock;
    this.#onClose = onClose;
  }

  async pull(container: ContainerSpec, signal: AbortSignal): Promise<PulledImage> {
    const { pullMs, pullError } = scriptOf(container);
    if (pullMs > 0) await this.#clock.sleep(pullMs, signal);
    if (pullError !== undefined) {
      const text = pullErrors[pullError]?.(container.image) ?? pullError;
      throw new StartFailure(`CannotPullContainerError: pull image manifest has been retried 5 time(s): ${text}`);
    }
    return { digest: `sha256:${createHash('sha256').update(container.image).digest('hex')}` };
  }

  async start(container: ContainerSpec, output: OutputSink): Promise<RunningContainer> {
    const script = scriptOf(container);
    if (script.startError !== undefined) throw new StartFailure(`CannotStartContainerError: ${script.startError}`);
    const started = new SimulatedContainer(script, this.#clock, output);
    this.#running.add(started);
    void started.exited.then(() => this.#running.delete(started));
    return started;
  }

  async close(): Promise<void> {
    for (const container of this.#running) container.kill();
    this.#onClose();
  }
}

const scriptOf = ({ environment, labels }: ContainerSpec): Script =>
  parseScript(environment['SVK_SIMULATE'] ?? labels['svk.dev/simulate'] ?? '');
