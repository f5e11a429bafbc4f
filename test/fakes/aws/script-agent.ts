import type { Clock } from '../../../src/core/clock.ts';
import { type AgentMessage, decodeAgentMessage, encodeAgentMessage } from '../../../src/streaming/ssm/agent-message.ts';
import { SeededRandom } from '../clock.ts';
import type { LossyLink } from './lossy-link.ts';

const RESEND_MS = 200;

/**
 * The agent's end of a data channel, by the rules of the official one: in order, every message acknowledged once it was
 * handled, repeats too; what is late is sent again, the oldest only.
 */
export class ScriptAgent {
  readonly input: AgentMessage[] = [];
  /** Every frame that came, acknowledgements and repeats included. */
  readonly frames: AgentMessage[] = [];
  readonly texts: string[] = [];
  /** False: input is left unacknowledged, as before the terminal exists. */
  accepting = true;
  readonly #link: LossyLink;
  readonly #clock: Clock;
  readonly #random = new SeededRandom(99);
  readonly #early = new Map<number, AgentMessage>();
  readonly #waiting = new Map<number, { readonly frame: Buffer; sentAt: number }>();
  #expected = 0;
  #next = 0;

  constructor(link: LossyLink, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
    this.#link.peer = (frame) => this.#receive(frame);
    void this.#resend();
  }

  get unacknowledged(): number {
    return this.#waiting.size;
  }

  /** Payload of everything typed. */
  typed(payloadType = 1): Buffer {
    return Buffer.concat(this.input.filter((one) => one.payloadType === payloadType).map(({ payload }) => payload));
  }

  send(payloadType: number, payload: Uint8Array | string): void {
    const sequenceNumber = this.#next++;
    const frame = this.#frame('output_stream_data', sequenceNumber, sequenceNumber === 0 ? 1 : 0, payloadType, payload);
    this.#waiting.set(sequenceNumber, { frame, sentAt: this.#clock.now() });
    this.#link.deliver(frame);
  }

  output(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1024) this.send(1, bytes.subarray(at, at + 1024));
  }

  close(output = ''): void {
    this.#link.deliver(this.#frame('channel_closed', 0, 3, 0, JSON.stringify({ Output: output })));
  }

  control(type: 'pause_publication' | 'start_publication'): void {
    this.#link.deliver(this.#frame(type, 0, 3, 0, ''));
  }

  /** Sends this frame once more, as after a lost acknowledgement. */
  repeat(sequenceNumber: number, payload: string): void {
    this.#link.deliver(this.#frame('output_stream_data', sequenceNumber, 0, 1, payload));
  }

  #receive(frame: string | Buffer): void {
    if (typeof frame === 'string') {
      this.texts.push(frame);
      return;
    }
    const message = decodeAgentMessage(frame);
    if (!message) throw new Error('the client sent no message');
    this.frames.push(message);
    if (message.type === 'acknowledge') {
      const { AcknowledgedMessageSequenceNumber } = JSON.parse(Buffer.from(message.payload).toString()) as {
        AcknowledgedMessageSequenceNumber: number;
      };
      this.#waiting.delete(AcknowledgedMessageSequenceNumber);
      return;
    }
    if (!this.accepting) return;
    if (message.sequenceNumber >= this.#expected) this.#early.set(message.sequenceNumber, message);
    for (let next = this.#early.get(this.#expected); next; next = this.#early.get(this.#expected)) {
      this.#early.delete(this.#expected);
      this.#expected += 1;
      this.input.push(next);
    }
    const acknowledged = {
      AcknowledgedMessageType: 'input_stream_data',
      AcknowledgedMessageId: message.id,
      AcknowledgedMessageSequenceNumber: message.sequenceNumber,
      IsSequentialMessage: true,
    };
    this.#link.deliver(this.#frame('acknowledge', 0, 3, 0, JSON.stringify(acknowledged)));
  }

  async #resend(): Promise<void> {
    for (;;) {
      await this.#clock.sleep(50);
      if (this.#link.closed) return;
      const [oldest] = this.#waiting.values();
      if (oldest && this.#clock.now() - oldest.sentAt >= RESEND_MS) {
        oldest.sentAt = this.#clock.now();
        this.#link.deliver(oldest.frame);
      }
    }
  }

  #frame(
    type: string,
    sequenceNumber: number,
    flags: number,
    payloadType: number,
    payload: Uint8Array | string,
  ): Buffer {
    return encodeAgentMessage({
      type,
      schemaVersion: 1,
      createdAt: this.#clock.now(),
      sequenceNumber,
      flags,
      id: this.#random.uuid(),
      payloadType,
      payload: Buffer.from(payload),
    });
  }
}
