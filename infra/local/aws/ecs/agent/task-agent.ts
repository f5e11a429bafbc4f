import { StartFailure, type TaskSandbox } from '../../../runtimes/runtime.ts';
import type { EcsContext } from '../context.ts';
import { type ContainerRecord, type TaskRecord, withContainer } from '../tasks/task-record.ts';
import type { ContainerView, StopRequest } from './agents.ts';
import { aborted, Bell } from './bell.ts';
import { consequencesOf } from './consequences.ts';
import { ContainerAgent } from './container-agent.ts';
import { containerSpecs } from './container-specs.ts';
import { dependantsOf, type Progress } from './dependencies.ts';

/** Takes one task from PROVISIONING to STOPPED. */
export class TaskAgent {
  readonly #context: EcsContext;
  readonly #arn: string;
  readonly #stop = new AbortController();
  readonly #closing = new AbortController();
  readonly #stopping: AbortSignal;
  readonly #bell = new Bell();
  readonly #progress = new Map<string, Progress>();
  #sandbox: TaskSandbox | undefined;
  #containers: readonly ContainerAgent[] = [];

  constructor(context: EcsContext, arn: string) {
    this.#context = context;
    this.#arn = arn;
    this.#stopping = AbortSignal.any([this.#stop.signal, this.#closing.signal]);
  }

  /** Never rejects. Ends early, without further changes, when the emulator closes. */
  async run(): Promise<void> {
    try {
      await this.#bringUp();
      await aborted(this.#stopping);
    } catch (error) {
      if (!this.#stopping.aborted) this.stop({ code: 'TaskFailedToStart', reason: reasonOf(error) });
    }
    try {
      await this.#windDown();
    } catch (error) {
      if (!this.#closing.signal.aborted) throw error;
    } finally {
      this.#context.metadata.forget(this.#arn);
      await this.#removeSandbox();
    }
  }

  stop({ code, reason }: StopRequest): void {
    if (this.#task.desiredStatus === 'STOPPED') return;
    this.#change({
      desiredStatus: 'STOPPED',
      stoppingAt: this.#context.clock.now(),
      stopCode: code,
      stoppedReason: reason,
    });
    this.#stop.abort(new Error(reason));
  }

  view(container: string): ContainerView | undefined {
    return this.#containers.find(({ name }) => name === container)?.view;
  }

  /** Ends all waiting; what runs is ended with its sandbox. */
  close(): void {
    this.#closing.abort(new Error('the emulator closes'));
  }

  get #task(): TaskRecord {
    return this.#context.tasks.get(this.#arn);
  }

  #change(patch: Partial<TaskRecord>): void {
    this.#context.tasks.change(this.#arn, patch);
  }

  async #bringUp(): Promise<void> {
    const { clock, delays, runtime, random } = this.#context;
    const { id, arn, cpu, memory, definition, attachment } = this.#task;
    await clock.sleep(delays.provisioning, this.#stopping);
    this.#sandbox = await runtime.openTask({
      id,
      arn,
      cpuUnits: Number(cpu),
      memoryMiB: Number(memory),
      sharedPids: definition.input.pidMode === 'task',
      volumes: (definition.input.volumes ?? []).map(({ name = '' }) => name),
    });
    this.#stopping.throwIfAborted();
    const hex = random.uuid().replaceAll('-', '');
    this.#change({
      lastStatus: 'PENDING',
      connectivityAt: clock.now(),
      attachment: {
        ...attachment,
        status: 'ATTACHED',
        networkInterfaceId: `eni-${hex.slice(0, 17)}`,
        macAddress: `0a:${hex.slice(17, 27).replace(/(..)(?=.)/g, '$1:')}`,
        privateIp: this.#sandbox.ip,
      },
    });
    await clock.sleep(delays.pending, this.#stopping);
    const specs = containerSpecs(this.#context, this.#task);
    this.#change({ lastStatus: 'ACTIVATING', pullStartedAt: clock.now() });
    await this.#pull(specs);
    const side = { ...this.#side(), sandbox: this.#sandbox };
    this.#containers = definition.containers.flatMap((container, index) => {
      const spec = specs[index];
      return spec ? [new ContainerAgent(side, container, spec)] : [];
    });
    for (const container of this.#containers) container.start();
  }

  async #pull(specs: ReturnType<typeof containerSpecs>): Promise<void> {
    const { clock, delays, tasks } = this.#context;
    const pulls = specs.map(async (spec) => {
      const image = await this.#sandbox?.pull(spec, this.#stopping).catch((error: unknown) => {
        if (!this.#stopping.aborted)
          tasks.amend(this.#arn, withContainer(this.#task, spec.name, { reason: reasonOf(error) }));
        throw error;
      });
      if (image) tasks.amend(this.#arn, withContainer(this.#task, spec.name, { imageDigest: image.digest }));
    });
    const results = await Promise.allSettled([...pulls, clock.sleep(delays.pull, this.#stopping)]);
    this.#stopping.throwIfAborted();
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    const strangers = this.#task.containers.map((container) =>
      container.image === undefined ? { ...container, lastStatus: 'RUNNING' as const } : container,
    );
    this.#change({ pullStoppedAt: clock.now(), containers: strangers });
  }

  #side(): Omit<ConstructorParameters<typeof ContainerAgent>[0], 'sandbox'> {
    return {
      context: this.#context,
      bell: this.#bell,
      progress: this.#progress,
      stopping: this.#stopping,
      closed: this.#closing.signal,
      task: () => this.#task,
      change: (name, patch) => this.#changeContainer(name, patch),
      amend: (name, patch) => {
        this.#context.tasks.amend(this.#arn, withContainer(this.#task, name, patch));
        this.#bell.ring();
      },
    };
  }

  #changeContainer(name: string, patch: Partial<ContainerRecord>): void {
    if (this.#closing.signal.aborted) return;
    const containers = withContainer(this.#task, name, patch);
    const consequences = consequencesOf({ ...this.#task, ...containers }, this.#context.clock.now());
    this.#change({ ...containers, ...consequences });
    this.#bell.ring();
    if (consequences.desiredStatus === 'STOPPED') this.#stop.abort(new Error('an essential container has ended'));
  }

  async #windDown(): Promise<void> {
    const { clock, delays } = this.#context;
    const closed = this.#closing.signal;
    closed.throwIfAborted();
    if (this.#containers.length > 0) {
      this.#change({ lastStatus: 'DEACTIVATING' });
      await clock.sleep(delays.deactivating, closed);
      this.#change({ lastStatus: 'STOPPING' });
      await this.#stopContainers();
    }
    closed.throwIfAborted();
    this.#change({
      lastStatus: 'DEPROVISIONING',
      ...(this.#progress.size > 0 && { executionStoppedAt: clock.now() }),
      containers: this.#task.containers.map((container) => ({ ...container, lastStatus: 'STOPPED' as const })),
      attachment: { ...this.#task.attachment, status: 'DETACHED' },
    });
    await this.#removeSandbox();
    await clock.sleep(delays.deprovisioning, closed);
    this.#change({
      lastStatus: 'STOPPED',
      stoppedAt: clock.now(),
      attachment: { ...this.#task.attachment, status: 'DELETED' },
    });
  }

  /** Where the runtime cannot (its engine is gone), the task ends all the same. */
  async #removeSandbox(): Promise<void> {
    await this.#sandbox?.close().catch(() => undefined);
  }

  /** In the reverse order of their dependencies. */
  async #stopContainers(): Promise<void> {
    await Promise.all(
      this.#containers.map(async (container) => {
        const dependants = dependantsOf(this.#task.definition, container.name);
        await Promise.all(this.#containers.filter(({ name }) => dependants.includes(name)).map(({ ended }) => ended));
        await container.stop();
      }),
    );
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof StartFailure
    ? error.message
    : `InternalError: ${error instanceof Error ? error.message : String(error)}`;
