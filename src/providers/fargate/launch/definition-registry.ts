import type { RegisterTaskDefinitionCommandInput, TaskDefinition } from '@aws-sdk/client-ecs';
import { PermanentError, TransientError } from '../../../core/errors.ts';
import type { EcsApi } from '../aws/ecs-api.ts';
import { translated } from '../aws/errors.ts';
import { type EnsureDependencies, ensureResource } from './ensure-resource.ts';
import { throwIfGivenUp } from './give-up.ts';

const PREFIX = 'TASKDEF#';
const HOUR_MS = 3_600_000;
const UNUSED_MS = 7 * 24 * HOUR_MS;
/** ECS takes about one registration or deregistration a second; the rest is left to the next collection. */
const MAX_COLLECTED = 20;

/** Task definitions, shared by all pods whose definitions are equal: registered once per content hash. */
export class DefinitionRegistry {
  readonly #ecs: EcsApi;
  readonly #deps: EnsureDependencies;

  constructor(ecs: EcsApi, deps: EnsureDependencies) {
    this.#ecs = ecs;
    this.#deps = deps;
  }

  /** The ARN of the definition with this hash, registered now where it is not yet. */
  arnOf(hash: string, definition: RegisterTaskDefinitionCommandInput, signal: AbortSignal): Promise<string> {
    const make = (): Promise<string> => this.#register(definition, signal);
    return ensureResource(this.#deps, PREFIX + hash, { touchAfterMs: HOUR_MS, make }, signal);
  }

  /** ECS says this definition is inactive or gone: the next launch registers it again. */
  async forget(taskDefinitionArn: string): Promise<void> {
    const [, hash] = /-([0-9a-f]+):\d+$/.exec(taskDefinitionArn) ?? [];
    if (hash !== undefined) await this.#deps.resources.drop(PREFIX + hash);
  }

  /** Deregisters what no launch has used for 7 days. Running tasks go on. */
  async collect(signal: AbortSignal): Promise<void> {
    const { resources, clock } = this.#deps;
    const before = clock.now() - UNUSED_MS;
    let collected = 0;
    for await (const { key, value, usedAt } of resources.unused(PREFIX, before)) {
      throwIfGivenUp(signal);
      if (collected++ >= MAX_COLLECTED) return;
      if (!(await resources.remove(key, before)) || value === undefined) continue;
      try {
        await translated('ECS DeregisterTaskDefinition', () =>
          this.#ecs.deregisterTaskDefinition({ taskDefinition: value }, signal),
        );
      } catch (error) {
        // Back on the list: the row went first, so that nobody could start to use it meanwhile.
        await resources.ready(key, { value, usedAt });
        throw error;
      }
    }
  }

  async #register(definition: RegisterTaskDefinitionCommandInput, signal: AbortSignal): Promise<string> {
    const { taskDefinition } = await translated('ECS RegisterTaskDefinition', () =>
      this.#ecs.registerTaskDefinition(definition, signal),
    );
    if (!taskDefinition?.taskDefinitionArn)
      throw new TransientError('ECS RegisterTaskDefinition: no definition in the answer');
    const lost = lostParts(definition, taskDefinition);
    if (lost.length > 0)
      throw new PermanentError(`ECS registered ${taskDefinition.taskDefinitionArn} without ${lost.join(', ')}`);
    return taskDefinition.taskDefinitionArn;
  }
}

/** Registrations have been seen to succeed with an empty environment: compares what was asked with what is kept. */
const lostParts = (asked: RegisterTaskDefinitionCommandInput, kept: TaskDefinition): string[] =>
  (asked.containerDefinitions ?? []).flatMap((container) => {
    const other = kept.containerDefinitions?.find(({ name }) => name === container.name);
    if (!other) return [`container ${container.name}`];
    return (['environment', 'secrets', 'command', 'entryPoint'] as const)
      .filter((field) => (other[field] ?? []).length < (container[field] ?? []).length)
      .map((field) => `${field} of container ${container.name}`);
  });
