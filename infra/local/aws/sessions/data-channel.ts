import type { Clock, Random } from '../../../../src/core/clock.ts';
import { Bell } from '../ecs/agent/bell.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import type { Timers } from '../timers.ts';
import { type AgentMessage, flags, fromFrame, payloadTypes, toFrame } from './agent-message.ts';
import { Disturbance } from './disturbance.ts';
import { IncomingStream } from './incoming-stream.ts';
import { acknowledgementOf, channelClosedOf, parseAcknowledgement } from './message-payloads.ts';
import { OutgoingStream } from './outgoing-stream.ts';

/** The client's end of the WebSocket. */
export interface ClientSocket {
  /** Bytes that were sent and not yet taken by the connection. */
  readonly bufferedAmount: number;
  send(frame: Uint8Array): void;
  /** An orderly close. */
  close(code: number): void;
  /** Ends the connection at once. */
  terminate(): void;
}

export interface ChannelOptions {
  readonly sessionId: string;
  /** `ecs:CLUSTER_TASK_RUNTIME`, as the service names the agent. */
  readonly target: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: FaultBoard;
  readonly timers: Timers;
  /** One message of the client; false where it cannot be taken yet. */
  readonly onInput: (message: AgentMessage) => boolean;
}

/** Nothing more is sent to a client that has so much to take in. */
const fullAtBytes = 1_048_576;
/** How long a client has for closing after it was told of the end. */
const lingerMs = 5000;

/** The agent's and the service's side of one session's data channel; clients may come, go and come again. */
export class DataChannel {
  readonly #options: ChannelOptions;
  readonly #outgoing: OutgoingStream;
  readonly #incoming: IncomingStream;
  readonly #towardsClient: Disturbance;
  readonly #towardsAgent: Disturbance;
  readonly #presence = new Bell();
  #client: ClientSocket | undefined;
  #closing: Buffer | undefined;
  #activeAt: number;

  constructor(options: ChannelOptions) {
    this.#options = options;
    const { clock, random, faults, timers } = options;
    this.#activeAt = clock.now();
    const after = (ms: number, act: () => void): void => timers.after(ms, act);
    this.#towardsClient = new Disturbance({ faults, random, after, towards: 'client' });
    this.#towardsAgent = new Disturbance({ faults, random, after, towards: 'agent' });
    this.#outgoing = new OutgoingStream({ clock, random, transmit: (frame) => this.#transmit(frame) });
    this.#incoming = new IncomingStream({
      process: options.onInput,
      acknowledge: (message) => this.#acknowledge(message),
    });
  }

  /** When something was last typed, shown or connected. */
  get activeAt(): number {
    return this.#activeAt;
  }

  /** The client is here; an earlier connection of it ends. */
  connect(client: ClientSocket): void {
    this.#client?.terminate();
    this.#client = client;
    this.#activeAt = this.#options.clock.now();
    if (this.#closing) this.#sayClosed(client, this.#closing);
    this.#presence.ring();
  }

  disconnected(client: ClientSocket): void {
    if (this.#client === client) this.#client = undefined;
  }

  received(frame: Buffer): void {
    this.#towardsAgent.pass(() => {
      const message = fromFrame(frame);
      if (!message || this.#closing) return;
      if (message.type === 'acknowledge') {
        const sequenceNumber = parseAcknowledgement(message.payload);
        if (sequenceNumber !== undefined) this.#outgoing.acknowledged(sequenceNumber);
      } else if (message.type === 'input_stream_data') {
        this.#activeAt = this.#options.clock.now();
        this.#incoming.take(message);
      }
    });
  }

  /** Resolves when a client is there and has room for more: without one the service pauses the agent. */
  async ready(signal: AbortSignal): Promise<void> {
    await this.#outgoing.room(signal);
    while (!this.#client) await this.#presence.next(signal);
  }

  send(payloadType: number, payload: Uint8Array): void {
    this.#activeAt = this.#options.clock.now();
    this.#outgoing.send(payloadType, payload);
  }

  /** Sends again what is not acknowledged, until `signal` aborts. */
  resend(signal: AbortSignal): Promise<void> {
    return this.#outgoing.resend(signal);
  }

  /** Resolves when the client has everything, as far as that can be known. */
  settled(signal: AbortSignal): Promise<void> {
    return this.#outgoing.settled(signal);
  }

  /** Tells the client, or the one that comes later, that the session is over. */
  close(output: string): void {
    if (this.#closing) return;
    const { sessionId, target, clock, random } = this.#options;
    const messageId = random.uuid();
    const at = clock.now();
    this.#closing = toFrame({
      type: 'channel_closed',
      createdAt: at,
      sequenceNumber: 0,
      flags: flags.synFin,
      id: messageId,
      payloadType: payloadTypes.none,
      payload: channelClosedOf({ messageId, target, sessionId, at, output }),
    });
    if (this.#client) this.#sayClosed(this.#client, this.#closing);
  }

  /** Ends the connection without a word. */
  drop(): void {
    this.#client?.terminate();
  }

  #sayClosed(client: ClientSocket, frame: Buffer): void {
    // The service says it on an ordered connection: no fault is in its way.
    client.send(frame);
    this.#options.timers.after(lingerMs, () => client.close(1000));
  }

  #transmit(frame: Buffer): boolean {
    if (!this.#client || this.#client.bufferedAmount > fullAtBytes) return false;
    if (this.#options.faults.take('data-channel-cut')) {
      this.#client.terminate();
      this.#client = undefined;
      return false;
    }
    this.#towardsClient.pass(() => this.#client?.send(frame));
    return true;
  }

  #acknowledge({ type, id, sequenceNumber }: AgentMessage): void {
    const { clock, random } = this.#options;
    this.#transmit(
      toFrame({
        type: 'acknowledge',
        createdAt: clock.now(),
        sequenceNumber: 0,
        flags: flags.synFin,
        id: random.uuid(),
        payloadType: payloadTypes.none,
        payload: acknowledgementOf(type, id, sequenceNumber),
      }),
    );
  }
}
