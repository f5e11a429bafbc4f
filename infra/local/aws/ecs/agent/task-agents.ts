import type { EcsContext } from '../context.ts';
import type { Agents, ContainerView, StopRequest } from './agents.ts';
import { TaskAgent } from './task-agent.ts';

/** The agents of all tasks that are not STOPPED. */
export class TaskAgents implements Agents {
  readonly #context: () => EcsContext;
  readonly #agents = new Map<string, { readonly agent: TaskAgent; readonly run: Promise<void> }>();

  constructor(context: () => EcsContext) {
    this.#context = context;
  }

  start(arn: string): void {
    const agent = new TaskAgent(this.#context(), arn);
    const run = agent.run().finally(() => this.#agents.delete(arn));
    this.#agents.set(arn, { agent, run });
  }

  stop(arn: string, request: StopRequest): void {
    this.#agents.get(arn)?.agent.stop(request);
  }

  view(arn: string, container: string): ContainerView | undefined {
    return this.#agents.get(arn)?.agent.view(container);
  }

  /** Resolves when no agent is at work any more. */
  async close(): Promise<void> {
    for (const { agent } of this.#agents.values()) agent.close();
    await Promise.allSettled([...this.#agents.values()].map(({ run }) => run));
  }
}
