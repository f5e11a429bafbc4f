import * as z from 'zod/mini';
import type { Clock, Random } from '../../core/clock.ts';
import { SvkError, TransientError } from '../../core/errors.ts';
import { acknowledgedNumber, acknowledgementOf, parseJson } from './acknowledgement.ts';
import {
  type AgentMessage,
  decodeAgentMessage,
  encodeAgentMessage,
  MessageType,
  PayloadType,
} from './agent-message.ts';
import type { DataKeySource } from './data-key.ts';
import type { FrameLink } from './frame-link.ts';
import { CLIENT_VERSION } from './handshake.ts';
import { IncomingOrder } from './incoming-order.ts';
import { InputQueue } from './input-queue.ts';
import { OutgoingMessages } from './outgoing-messages.ts';
import { SessionEncryption } from './session-encryption.ts';
import { shakeHands } from './shake-hands.ts';

export interface DataChannelOptions {
  readonly link: FrameLink;
  /** Secret. */
  readonly tokenValue: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Asked once, where the agent demands encryption. */
  readonly dataKey: DataKeySource;
  /** Gets the agent's output in order, each piece once, decrypted. */
  readonly onOutput: (payloadType: number, payload: Uint8Array) => void;
}

/** Messages under way at once; the agent puts them in order. */
const WINDOW = 256;
const ACKNOWLEDGE_FLAGS = 3;
const TICK_MS = 50;
const IDLE_TICK_MS = 5000;
const PING_EVERY_MS = 30_000;
const DEAD_AFTER_MS = 100_000;
/** The official client gives up after about as long. */
const UNHEARD_FOR_MS = 300_000;
/** An agent that wants a handshake asks for it at once; without one it starts the command after a second. */
const HANDSHAKE_WITHIN_MS = 2500;

const closing = z.looseObject({ Output: z._default(z.string(), '') });

/**
 * The client's end of a Session Manager data channel, as ECS ExecuteCommand opens one: order, acknowledgements, resends,
 * handshake, encryption. Stands the loss, doubling and reordering of any message. Input is held back until it cannot be
 * lost in a handshake.
 */
export class DataChannel {
  /**
   * Settles when the session is over: with what the agent says to it (an error, or nothing); rejects with an error of
   * core/errors where the channel broke.
   */
  readonly ended: Promise<string>;
  readonly #options: DataChannelOptions;
  readonly #incoming = new IncomingOrder<AgentMessage>();
  readonly #outgoing = new OutgoingMessages();
  readonly #input: InputQueue;
  readonly #encryption: SessionEncryption;
  readonly #over = new AbortController();
  #settle: { readonly resolve: (output: string) => void; readonly reject: (error: SvkError) => void } | undefined;
  #wake = new AbortController();
  #sequenceNumber = 0;
  #paused = false;
  #heardAt: number;
  readonly #openedAt: number;

  constructor(options: DataChannelOptions) {
    this.#options = options;
    const { link, tokenValue, clock, random } = options;
    this.#openedAt = clock.now();
    this.#heardAt = this.#openedAt;
    this.#encryption = new SessionEncryption(() => Buffer.from(random.uuid().replaceAll('-', ''), 'hex').subarray(4));
    this.#input = new InputQueue((payloadType, payload) => this.#transmit(payloadType, payload));
    this.ended = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Whoever waits for it meets the error; until somebody does it must not bring the process down.
    this.ended.catch(() => undefined);
    link.receive({
      frame: (bytes) => this.#receive(bytes),
      pong: () => {
        this.#heardAt = clock.now();
      },
      closed: (reason) => this.#end({ error: new TransientError(`the exec session broke off: ${reason}`) }),
    });
    link.send(
      JSON.stringify({
        MessageSchemaVersion: '1.0',
        RequestId: random.uuid(),
        TokenValue: tokenValue,
        ClientId: random.uuid(),
        ClientVersion: CLIENT_VERSION,
      }),
    );
    void this.#tend();
  }

  /** Sends input in order. Resolves once there is room for more, or the session is over. */
  async send(payloadType: number, payload: Uint8Array): Promise<void> {
    this.#input.add(payloadType, payload);
    this.#input.pump(this.#room);
    await this.#input.roomy();
  }

  /** Resolves when the agent has taken all input, or the session is over. */
  async delivered(): Promise<void> {
    await this.#input.empty();
  }

  /** Takes nothing more from the agent until `resume`. What it has sent meanwhile is not lost. */
  pause(): void {
    this.#options.link.pause();
  }

  resume(): void {
    this.#options.link.resume();
  }

  /** Hangs up; the command goes on until it, or the service, ends it. */
  close(): void {
    this.#end({ output: '' });
  }

  #receive(bytes: Buffer): void {
    if (this.#over.signal.aborted) return;
    this.#heardAt = this.#options.clock.now();
    const message = decodeAgentMessage(bytes);
    switch (message?.type) {
      case MessageType.output:
        this.#paused = false;
        this.#receiveOutput(message);
        break;
      case MessageType.acknowledge:
        this.#paused = false;
        this.#receiveAcknowledgement(message.payload);
        break;
      case MessageType.channelClosed:
        this.#receiveEnd(z.safeParse(closing, parseJson(message.payload)).data?.Output ?? '');
        break;
      case MessageType.pausePublication:
        this.#paused = true;
        break;
      case MessageType.startPublication:
        this.#paused = false;
        break;
      default:
        // Damaged, or of a kind that only newer ends know.
        break;
    }
    this.#input.pump(this.#room);
  }

  #receiveEnd(output: string): void {
    const error = this.#encryption.endedBy(output);
    this.#end(error === undefined ? { output } : { error });
  }

  #receiveOutput(message: AgentMessage): void {
    const arrival = this.#incoming.arrived(message.sequenceNumber, message);
    if (arrival === 'dropped') return;
    for (let next = this.#incoming.take(); next !== undefined; next = this.#incoming.take()) this.#process(next);
    // Also a repeat: the agent resends its oldest message only, so that one lost acknowledgement would block the rest.
    this.#options.link.send(this.#encode(MessageType.acknowledge, 0, ACKNOWLEDGE_FLAGS, 0, acknowledgementOf(message)));
  }

  #process({ payloadType, payload }: AgentMessage): void {
    if (this.#over.signal.aborted) return;
    try {
      this.#take(payloadType, payload);
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(payloadType: number, payload: Uint8Array): void {
    switch (payloadType) {
      case PayloadType.handshakeRequest:
        this.#shakeHands(payload);
        break;
      case PayloadType.encryptionChallengeRequest:
        this.#transmit(PayloadType.encryptionChallengeResponse, this.#encryption.answerChallenge(payload));
        break;
      case PayloadType.handshakeComplete:
        this.#encryption.complete();
        this.#input.open();
        break;
      default: {
        const opened = this.#encryption.open(payloadType, payload);
        this.#input.open();
        this.#options.onOutput(payloadType, opened);
        break;
      }
    }
  }

  #shakeHands(payload: Uint8Array): void {
    this.#input.hold();
    const encryption = this.#encryption;
    const { dataKey } = this.#options;
    const { signal } = this.#over;
    const respond = (answer: Buffer): void => void this.#transmit(PayloadType.handshakeResponse, answer);
    void shakeHands(payload, { encryption, dataKey, respond, signal }).catch((error: unknown) => this.#fail(error));
  }

  #receiveAcknowledgement(payload: Uint8Array): void {
    const sequenceNumber = acknowledgedNumber(payload);
    if (sequenceNumber === undefined) return;
    if (this.#outgoing.acknowledged(sequenceNumber, this.#options.clock.now()))
      this.#input.acknowledged(sequenceNumber);
  }

  #transmit(payloadType: number, payload: Uint8Array): number {
    const sequenceNumber = this.#sequenceNumber++;
    const sealed = this.#encryption.seal(payloadType, payload);
    const bytes = this.#encode(MessageType.input, sequenceNumber, 0, payloadType, sealed);
    this.#outgoing.sent(sequenceNumber, bytes, this.#options.clock.now());
    this.#options.link.send(bytes);
    this.#wake.abort();
    return sequenceNumber;
  }

  #encode(type: string, sequenceNumber: number, flags: number, payloadType: number, payload: Uint8Array): Buffer {
    const { clock, random } = this.#options;
    return encodeAgentMessage({
      type,
      schemaVersion: 1,
      createdAt: clock.now(),
      sequenceNumber,
      flags,
      id: random.uuid(),
      payloadType,
      payload,
    });
  }

  get #room(): number {
    return this.#paused ? 0 : Math.max(0, WINDOW - this.#outgoing.size);
  }

  /** Resends, pings, and notices that the peer is gone. */
  async #tend(): Promise<void> {
    const { clock, link } = this.#options;
    let pingAt = clock.now() + PING_EVERY_MS;
    for (;;) {
      this.#wake = new AbortController();
      const busy = this.#outgoing.size > 0 || !this.#input.isOpen;
      await this.#rest(busy ? TICK_MS : IDLE_TICK_MS);
      if (this.#over.signal.aborted) return;
      const now = clock.now();
      if (now - this.#openedAt >= HANDSHAKE_WITHIN_MS) this.#input.openUnlessHeld();
      if (!this.#paused) for (const bytes of this.#outgoing.takeLate(now)) link.send(bytes);
      this.#input.pump(this.#room);
      if (now >= pingAt) {
        pingAt = now + PING_EVERY_MS;
        link.ping();
      }
      if (now - this.#heardAt > DEAD_AFTER_MS || now - (this.#outgoing.waitingSince ?? now) > UNHEARD_FOR_MS) {
        this.#end({ error: new TransientError('the exec session broke off: the other end does not answer') });
      }
    }
  }

  async #rest(ms: number): Promise<void> {
    const signals = ms === TICK_MS ? [this.#over.signal] : [this.#over.signal, this.#wake.signal];
    await this.#options.clock.sleep(ms, AbortSignal.any(signals)).catch(() => undefined);
  }

  #fail(error: unknown): void {
    if (!(error instanceof SvkError)) throw error;
    this.#end({ error });
  }

  #end(end: { readonly output: string } | { readonly error: SvkError }): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#input.abandon();
    this.#options.link.close();
    if ('error' in end) this.#settle?.reject(end.error);
    else this.#settle?.resolve(end.output);
  }
}
