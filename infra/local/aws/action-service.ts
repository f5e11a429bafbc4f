import { type Actions, answerFor, type ServiceName } from './answer-for.ts';
import type { FaultBoard } from './faults/fault-board.ts';
import type { Throttles } from './throttles.ts';

/** A service that is its table of actions, over a context they share. */
export class ActionService<Context extends { readonly faults: FaultBoard }> {
  protected readonly context: Context;
  readonly #name: ServiceName;
  readonly #actions: Actions<Context>;
  readonly #throttles: Throttles;

  constructor(name: ServiceName, actions: Actions<Context>, context: Context, throttles: Throttles) {
    this.#name = name;
    this.#actions = actions;
    this.context = context;
    this.#throttles = throttles;
  }

  /** @throws {AwsError | NoAnswer} as the ECS service does. */
  handle(action: string, input: unknown): Promise<unknown> {
    const { context } = this;
    const call = { faults: context.faults, throttles: this.#throttles, actions: this.#actions, context, input };
    return answerFor(this.#name, action, call);
  }
}
