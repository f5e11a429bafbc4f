import type { AgentMessage } from './agent-message.ts';

/** How many messages that came too early are kept, as the agent keeps them. */
const capacity = 100_000;

interface Options {
  /** False where the message cannot be taken yet: it stays unacknowledged, and the sender sends it again. */
  readonly process: (message: AgentMessage) => boolean;
  readonly acknowledge: (message: AgentMessage) => void;
}

/**
 * Hands on the client's data in the order of its numbers. What comes too early is kept and acknowledged; what comes again is
 * acknowledged again, since its acknowledgement may have been lost.
 */
export class IncomingStream {
  readonly #options: Options;
  readonly #early = new Map<number, AgentMessage>();
  #expected = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  take(message: AgentMessage): void {
    const { process, acknowledge } = this.#options;
    const { sequenceNumber } = message;
    if (sequenceNumber > this.#expected) {
      if (this.#early.size >= capacity && !this.#early.has(sequenceNumber)) return;
      this.#early.set(sequenceNumber, message);
      return acknowledge(message);
    }
    if (sequenceNumber === this.#expected) {
      if (!process(message)) return;
      this.#expected += 1;
      this.#processEarly();
    }
    acknowledge(message);
  }

  #processEarly(): void {
    for (;;) {
      const next = this.#early.get(this.#expected);
      if (!next || !this.#options.process(next)) return;
      this.#early.delete(this.#expected);
      this.#expected += 1;
    }
  }
}
