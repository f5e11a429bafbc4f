import { StartFailure, type Terminal } from '../../runtimes/runtime.ts';
import { Bell } from '../ecs/agent/bell.ts';
import type { KeysContext } from '../keys/context.ts';
import { AgentHandshake, HandshakeFailure } from './agent-handshake.ts';
import { type AgentMessage, payloadTypes } from './agent-message.ts';
import { commandWords } from './command-words.ts';
import { type ChannelOptions, DataChannel } from './data-channel.ts';
import { parseSize } from './message-payloads.ts';
import type { SessionCipher } from './session-cipher.ts';
import { Utf8Pieces } from './utf8-pieces.ts';

export interface SessionOptions extends Omit<ChannelOptions, 'onInput'> {
  /** As it was given to ExecuteCommand. */
  readonly command: string;
  /** The cluster's: the session is encrypted with it. */
  readonly kmsKeyId: string | undefined;
  readonly keys: KeysContext;
  readonly openTerminal: (words: readonly string[], output: (chunk: Uint8Array) => void) => Promise<Terminal>;
}

/** The agent waits so long before it reads the terminal for the first time. */
const firstReadAfterMs = 1000;
/** And so long before it tells that a command could not be started. */
const failureAfterMs = 2000;
/** Fixed for ECS Exec (developer guide, "Using Amazon ECS Exec"). */
const idleLimitMs = 20 * 60_000;
const idleTickMs = 30_000;
/** A terminal that has written so much more than its client took is not read any further. */
const pauseAtBytes = 1_048_576;
const resumeAtBytes = pauseAtBytes / 2;

/**
 * One session of the execute command agent: the command in a terminal of its own, its output to the client, the client's
 * keys to it. Nobody is told its exit code.
 */
export class ExecSession {
  readonly channel: DataChannel;
  /** Resolves when the session is over and its command is gone. */
  readonly ended: Promise<void>;
  readonly #options: SessionOptions;
  readonly #over = new AbortController();
  readonly #output = new Utf8Pieces();
  readonly #bell = new Bell();
  #handshake: AgentHandshake | undefined;
  #cipher: SessionCipher | undefined;
  #terminal: Terminal | undefined;
  #commandEnded = false;
  #paused = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.channel = new DataChannel({ ...options, onInput: (message) => this.#input(message) });
    const { signal } = this.#over;
    // Both are cut short by the end of the session, which is no fault.
    void this.channel.resend(signal).catch(() => undefined);
    void this.#watchIdle(signal).catch(() => undefined);
    this.ended = this.#run(signal);
  }

  /** ssm:TerminateSession, and the end of what the session belongs to: the command is killed. */
  terminate(): void {
    this.#end('');
  }

  #end(output: string): void {
    this.#over.abort(new Error('the session is over'));
    this.#terminal?.kill();
    this.channel.close(output);
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      const refusal = (await this.#encrypt(signal)) ?? (await this.#start(signal));
      if (refusal === undefined) await this.#show(signal);
      this.#end(refusal ?? '');
    } catch (error) {
      if (!signal.aborted) this.#end(errorText(error instanceof Error ? error.message : String(error)));
    }
    await this.#terminal?.ended;
  }

  /** Where there is a key, nothing is started before the client has it. Answers why the two do not come together. */
  async #encrypt(signal: AbortSignal): Promise<string | undefined> {
    const { kmsKeyId } = this.#options;
    if (kmsKeyId === undefined) return undefined;
    const send = (payloadType: number, payload: Uint8Array): void => this.channel.send(payloadType, payload);
    this.#handshake = new AgentHandshake({ ...this.#options, kmsKeyId, send });
    await this.channel.ready(signal);
    try {
      this.#cipher = await this.#handshake.perform(signal);
      this.#handshake = undefined;
      return undefined;
    } catch (error) {
      if (!(error instanceof HandshakeFailure)) throw error;
      return errorText(`Encountered error while initiating handshake. ${error.message}`);
    }
  }

  /** Starts the command. Answers why it could not be started. */
  async #start(signal: AbortSignal): Promise<string | undefined> {
    const { command, clock, openTerminal } = this.#options;
    try {
      const words = parsed(command);
      if (words.length === 0) return 'Commands cannot be empty for session type InteractiveCommands';
      const terminal = await openTerminal(words, (chunk) => this.#written(chunk));
      this.#terminal = terminal;
      if (signal.aborted) terminal.kill();
      void terminal.ended.then(() => {
        this.#commandEnded = true;
        this.#bell.ring();
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      await clock.sleep(failureAfterMs, signal);
      return errorText(`Unable to start command: ${error.message}\n`);
    }
  }

  async #show(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    await clock.sleep(firstReadAfterMs, signal);
    for (;;) {
      await this.channel.ready(signal);
      if (this.#output.bytes > 0) {
        const payload = this.#output.take();
        if (payload.length > 0) this.channel.send(payloadTypes.output, this.#cipher?.seal(payload) ?? payload);
        this.#resume();
      } else if (this.#commandEnded) {
        return this.channel.settled(signal);
      } else {
        await this.#bell.next(signal);
      }
    }
  }

  #written(chunk: Uint8Array): void {
    this.#output.push(chunk);
    if (this.#output.bytes > pauseAtBytes && !this.#paused) {
      this.#paused = true;
      this.#terminal?.pause();
    }
    this.#bell.ring();
  }

  #resume(): void {
    if (!this.#paused || this.#output.bytes > resumeAtBytes) return;
    this.#paused = false;
    this.#terminal?.resume();
  }

  /**
   * False before the terminal is there, so that the client sends it again. During a handshake all but its answers is
   * taken and lost.
   */
  #input(message: AgentMessage): boolean {
    this.#handshake?.take(message);
    if (this.#handshake) return true;
    if (!this.#terminal) return false;
    const { payloadType, payload } = message;
    switch (payloadType) {
      case payloadTypes.output: {
        const text = this.#cipher ? this.#cipher.open(payload) : payload;
        if (text) this.#terminal.write(text);
        return text !== undefined;
      }
      case payloadTypes.size: {
        const size = parseSize(payload);
        if (size) this.#terminal.resize(size.cols, size.rows);
        return size !== undefined;
      }
      default:
        // Flags, TerminateSession among them, are for port sessions: a shell session takes and ignores them.
        return true;
    }
  }

  async #watchIdle(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (clock.now() - this.channel.activeAt < idleLimitMs) await clock.sleep(idleTickMs, signal);
    this.#end('Session timed out: nothing was typed or shown for 20 minutes.');
  }
}

const parsed = (command: string): readonly string[] => {
  try {
    return commandWords(command);
  } catch (error) {
    throw new StartFailure(`Failed to parse commands input: ${String(error instanceof Error ? error.message : error)}`);
  }
};

/** As the agent writes an error into its report. */
const errorText = (text: string): string => `\n----------ERROR-------\n${text}\n`;
