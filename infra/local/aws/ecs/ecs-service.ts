import type { Clock, Random } from '../../../../src/core/clock.ts';
import type { TaskRuntime } from '../../runtimes/runtime.ts';
import { answerFor } from '../answer-for.ts';
import type { Delays } from '../delays.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import type { LogStore } from '../logs/log-store.ts';
import { metadataAnswer } from '../metadata/metadata-answer.ts';
import { MetadataEndpoints } from '../metadata/metadata-endpoints.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { AwsError, NoAnswer } from '../service-error.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { ParameterStore } from '../ssm/parameter-store.ts';
import type { Throttles } from '../throttles.ts';
import { Timers } from '../timers.ts';
import { ecsActions } from './actions.ts';
import { TaskAgents } from './agent/task-agents.ts';
import { Arns } from './arn.ts';
import { type Cluster, ClusterStore } from './cluster-store.ts';
import type { EcsContext, Quotas } from './context.ts';
import type { TaskDefinition } from './definitions/definition.ts';
import { DefinitionStore } from './definitions/definition-store.ts';
import { EventBus, type EventListener } from './event-bus.ts';
import { ContainerInsights } from './insights/container-insights.ts';
import { taskStateChange } from './task-event.ts';
import { strikeTask } from './task-faults.ts';
import { IdempotencyStore } from './tasks/idempotency.ts';
import type { TaskRecord } from './tasks/task-record.ts';
import { TaskStore } from './tasks/task-store.ts';

export interface EcsOptions {
  readonly region: string;
  readonly accountId: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly delays: Delays;
  readonly faults: FaultBoard;
  readonly throttles: Throttles;
  readonly quotas: Quotas;
  readonly runtime: TaskRuntime;
  readonly logs: LogStore;
  readonly parameters: ParameterStore;
  readonly secrets: SecretStore;
  readonly sessions: Sessions;
  readonly onEvent: EventListener;
  /** How often Container Insights measures. */
  readonly insightsPeriodMs: number;
}

/** Amazon ECS with Fargate, in memory; its tasks run on a {@link TaskRuntime}. */
export class EcsService {
  readonly #context: EcsContext;
  readonly #agents = new TaskAgents(() => this.#context);

  constructor(options: EcsOptions) {
    const { clock, random, region, accountId, delays, faults } = options;
    const timers = new Timers(clock);
    const events = new EventBus({ timers, random, faults, delayMs: delays.event, listener: options.onEvent });
    const tasks = new TaskStore(clock, (task) =>
      events.publish(taskStateChange(task, { id: random.uuid(), account: accountId, region, at: clock.now() })),
    );
    this.#context = {
      ...options,
      arns: new Arns(region, accountId),
      clusters: new ClusterStore(),
      definitions: new DefinitionStore(),
      registering: new Set(),
      tasks,
      tokens: new IdempotencyStore(tasks, () => clock.now()),
      events,
      agents: this.#agents,
      metadata: new MetadataEndpoints(random),
      timers,
      insights: new ContainerInsights(() => this.#context, options.insightsPeriodMs),
    };
    faults.onTaskFault((fault) => strikeTask(this.#context, fault));
  }

  /**
   * Answers one action with the members of its JSON answer: moments are in seconds since the epoch.
   * @throws {AwsError} where the service says no.
   * @throws {NoAnswer} where a fault keeps the answer back; for RunTask perhaps after the task was started.
   */
  async handle(action: string, input: unknown): Promise<unknown> {
    const { faults, throttles } = this.#context;
    const denied = faults.take('access-denied', (fault) => fault.action === undefined || fault.action === action);
    if (denied) {
      throw new AwsError(
        'AccessDeniedException',
        `User: arn:aws:sts::${this.#context.accountId}:assumed-role/local/local is not authorized to perform: ecs:${action} because no identity-based policy allows the ecs:${action} action`,
      );
    }
    const unanswered =
      action === 'RunTask' ? faults.take('run-task-unanswered', ({ when }) => when === 'before') : undefined;
    if (unanswered) throw new NoAnswer(unanswered.manner ?? 'hang');
    const answer = await answerFor('ecs', action, {
      faults,
      throttles,
      actions: ecsActions,
      context: this.#context,
      input,
    });
    const lost = action === 'RunTask' ? faults.take('run-task-unanswered', ({ when }) => when === 'after') : undefined;
    if (lost) throw new NoAnswer(lost.manner ?? 'hang');
    return answer;
  }

  /** From now on containers are told of the task metadata endpoint behind this URL. */
  serveMetadataAt(url: string): void {
    this.#context.metadata.serveAt(url);
  }

  /** What the metadata endpoint answers to a path such as `/v4/ID/task`; undefined for one that is not there. */
  metadata(path: string, signal: AbortSignal): Promise<{ readonly body: unknown } | undefined> {
    return metadataAnswer(this.#context, path, signal);
  }

  /** What is there, for assertions. */
  get tasks(): readonly TaskRecord[] {
    return this.#context.tasks.all();
  }

  get definitions(): readonly TaskDefinition[] {
    return this.#context.definitions.all();
  }

  get clusters(): readonly Cluster[] {
    return this.#context.clusters.all();
  }

  /** Stops all agents without further events; the runtime is closed by who made it. */
  async close(): Promise<void> {
    this.#context.timers.close();
    await this.#agents.close();
  }
}
