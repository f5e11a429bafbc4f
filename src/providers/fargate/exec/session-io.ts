import type { Clock, Random } from '../../../core/clock.ts';
import { TransientError } from '../../../core/errors.ts';
import type { RemoteStreams } from '../../../ports/remote-streams.ts';
import { PayloadType } from '../../../streaming/ssm/agent-message.ts';
import { DataChannel } from '../../../streaming/ssm/data-channel.ts';
import type { DataKeySource } from '../../../streaming/ssm/data-key.ts';
import type { FrameLink } from '../../../streaming/ssm/frame-link.ts';
import type { Framing } from './framing.ts';
import { Outlet } from './outlet.ts';
import { Control } from './terminal-input.ts';

export interface SessionDependencies {
  readonly clock: Clock;
  readonly random: Random;
  /** Has the service end the session and its command, where we may ask for that. */
  readonly terminate?: (() => Promise<void>) | undefined;
}

/** A session somebody has opened, and how to read it. */
export interface SessionAccess {
  readonly link: FrameLink;
  /** Secret. */
  readonly tokenValue: string;
  /** For sessions that the agent encrypts. */
  readonly dataKey: DataKeySource;
  readonly framing: Framing;
  /** argv[0], for messages. */
  readonly program: string;
}

/** What the official client sends at a time; nobody has said that the service takes more. */
const INPUT_BYTES = 1024;
/** Output the caller has not taken: from here on the terminal is held, from there on the connection as well. */
const HOLD_AT_BYTES = 1024 * 1024;
const PAUSE_AT_BYTES = 8 * 1024 * 1024;

/**
 * The ends of one session: keys and sizes to the agent, output to the caller, and a caller that is slow holds the
 * terminal back.
 */
export class SessionIo {
  readonly channel: DataChannel;
  /** Rejects when the caller takes no more output. */
  readonly failed: Promise<never>;
  readonly #streams: RemoteStreams;
  readonly #outlet: Outlet;
  #canHold = false;
  #held = false;
  #paused = false;
  #over = false;

  constructor(
    { link, tokenValue, dataKey }: SessionAccess,
    streams: RemoteStreams,
    { clock, random }: SessionDependencies,
    onOutput: (bytes: Uint8Array) => void,
  ) {
    this.#streams = streams;
    let fail: (error: Error) => void = () => undefined;
    this.failed = new Promise((_, reject) => {
      fail = reject;
    });
    this.failed.catch(() => undefined);
    this.#outlet = new Outlet({ onChange: (pending) => this.#balance(pending), onFailure: (error) => fail(error) });
    this.channel = new DataChannel({
      link,
      tokenValue,
      clock,
      random,
      dataKey,
      onOutput: (payloadType, payload) => {
        if (payloadType === PayloadType.output) onOutput(payload);
      },
    });
  }

  stdout(bytes: Uint8Array): void {
    this.#outlet.write(this.#streams.stdout, bytes);
  }

  stderr(bytes: Uint8Array): void {
    this.#outlet.write(this.#streams.stderr, bytes);
  }

  /** Resolves when the caller has taken all output. */
  async taken(): Promise<void> {
    await this.#outlet.taken();
  }

  /** True once nothing of it is left to be ended. */
  get isOver(): boolean {
    return this.#over;
  }

  /** The command has ended, or never began. */
  commandIsOver(): void {
    this.#over = true;
  }

  /** Ctrl-S is the terminal's and neither the program's nor part of its input. */
  allowHolding(): void {
    this.#canHold = true;
  }

  /** Types these bytes; resolves when there is room for more. */
  async type(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += INPUT_BYTES)
      await this.channel.send(PayloadType.output, bytes.subarray(start, start + INPUT_BYTES));
  }

  /** Hands the caller's sizes on until there are no more. `onSize` hears of each that was sent. */
  async resize(onSize: () => void = () => undefined): Promise<void> {
    for await (const { columns, rows } of this.#streams.sizes) {
      if (columns === 0 && rows === 0) continue;
      await this.channel.send(PayloadType.size, Buffer.from(JSON.stringify({ cols: columns, rows })));
      onSize();
    }
  }

  /** Hangs up. */
  close(): void {
    this.#over = true;
    this.#canHold = false;
    this.channel.close();
  }

  #balance(pendingBytes: number): void {
    if (this.#canHold && !this.#held && pendingBytes > HOLD_AT_BYTES) {
      this.#held = true;
      void this.type(Control.holdOutput);
    }
    if (this.#held && pendingBytes < HOLD_AT_BYTES / 4) {
      this.#held = false;
      void this.type(Control.goOn);
    }
    if (!this.#paused && pendingBytes > PAUSE_AT_BYTES) {
      this.#paused = true;
      this.channel.pause();
    }
    if (this.#paused && pendingBytes < PAUSE_AT_BYTES / 2) {
      this.#paused = false;
      this.channel.resume();
    }
  }
}

/** The error for a session that ended before it said how. */
export const cutOff = (words: string): TransientError =>
  new TransientError(
    words === ''
      ? 'the exec session ended before its command did: the container has stopped, or somebody ended the session'
      : `the exec session ended before its command did: ${words}`,
  );
