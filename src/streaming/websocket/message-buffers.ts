/** Go's servers copy in pieces of 32 KiB: clients are used to messages of that size. */
export const MAX_PAYLOAD_BYTES = 32_768;

/** Buffers for whole messages, used again and again: a gigabyte of output would leave as much garbage behind. */
export class MessageBuffers {
  readonly #free: Buffer[] = [];
  readonly #keep: number;

  /** @param keep how many are kept while nobody needs them */
  constructor(keep: number) {
    this.#keep = keep;
  }

  /** A message of a channel byte and `payload`, at most {@link MAX_PAYLOAD_BYTES}. */
  fill(channel: number, payload: Uint8Array): Buffer {
    const isFull = payload.length === MAX_PAYLOAD_BYTES;
    const message = (isFull ? this.#free.pop() : undefined) ?? Buffer.allocUnsafe(payload.length + 1);
    message[0] = channel;
    message.set(payload, 1);
    return message;
  }

  /** The message was sent: nobody looks at it any more. */
  giveBack(message: Buffer): void {
    if (message.length === MAX_PAYLOAD_BYTES + 1 && this.#free.length < this.#keep) this.#free.push(message);
  }
}
