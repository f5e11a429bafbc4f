import { InvalidError } from '../../../core/errors.ts';
import type { RemoteStreams } from '../../../ports/remote-streams.ts';
import { closingWords } from '../../../streaming/ssm/closing-words.ts';
import { type OutputDecoder, outputDecoder } from './output-decoder.ts';
import { pumpInput } from './pump-input.ts';
import { markerBytes, RecordReader } from './record-reader.ts';
import { cutOff, type SessionAccess, type SessionDependencies, SessionIo } from './session-io.ts';
import { lastWords, settleSession } from './settle-session.ts';
import { startFailureOf } from './start-failure.ts';
import { Control, toTerminalInput } from './terminal-input.ts';

/** How long a terminal waits for its first size before the command starts. */
const SIZE_WITHIN_MS = 300;
const MOST_NOISE_BYTES = 1000;
const LINE_END = Buffer.from('\n');

/** One command within the wrapper: what it prints becomes output, an exit code, or an error. See wrapper-script.ts. */
export class WrappedSession {
  readonly #access: SessionAccess;
  readonly #streams: RemoteStreams;
  readonly #deps: SessionDependencies;
  readonly #io: SessionIo;
  readonly #reader: RecordReader;
  readonly #inputOver = new AbortController();
  readonly #outcome = Promise.withResolvers<number>();
  readonly #firstSize = Promise.withResolvers<void>();
  /** What came before the wrapper spoke: the shell's own complaint, where it does not come to that. */
  #noise = '';
  #running = false;
  #decoder: OutputDecoder | undefined;

  constructor(access: SessionAccess, streams: RemoteStreams, deps: SessionDependencies) {
    this.#access = access;
    this.#streams = streams;
    this.#deps = deps;
    this.#reader = new RecordReader(access.framing.marker, {
      data: (bytes) => this.#data(bytes),
      record: (letter, text) => this.#record(letter, text),
    });
    this.#io = new SessionIo(access, streams, deps, (bytes) => this.#reader.push(bytes));
  }

  /** Answers the exit code once all output was taken. Where `signal` aborts, the command is ended. */
  async run(signal: AbortSignal): Promise<number> {
    void this.#io.channel.ended.then(
      (output) => this.#ended(output),
      (error: unknown) => this.#outcome.reject(error),
    );
    if (this.#access.framing.tty) void this.#io.resize(() => this.#firstSize.resolve());
    try {
      return await settleSession(this.#io, this.#outcome.promise, this.#deps, signal);
    } finally {
      this.#inputOver.abort();
    }
  }

  #data(bytes: Buffer): void {
    // Echoes of the farewell.
    if (this.#io.isOver) return;
    if (!this.#running) {
      if (this.#noise.length < MOST_NOISE_BYTES) this.#noise += bytes.toString('utf8');
      return;
    }
    try {
      for (const piece of this.#decoder?.decode(bytes) ?? [bytes]) this.#io.stdout(piece);
    } catch (error) {
      this.#outcome.reject(error);
    }
  }

  #record(letter: string, text: string): void {
    switch (letter) {
      case 's':
        if (this.#access.framing.tty) void this.#go();
        else this.#startPlain(text);
        break;
      case 'g':
        this.#running = true;
        void this.#feedTerminal();
        break;
      case 'e':
        this.#io.stderr(Buffer.from(text, 'base64'));
        break;
      case 'h':
        this.#io.stderr(Buffer.from(text.replaceAll(' ', ''), 'hex'));
        break;
      case 'r':
        this.#inputOver.abort();
        break;
      case 'n':
        void this.#finish(new InvalidError(`exec: ${JSON.stringify(this.#access.program)}: ${NOT_FOUND}`));
        break;
      case 't':
        void this.#finish(new InvalidError(NO_INPUT));
        break;
      case 'x':
        this.#io.stdout(this.#decoder?.end() ?? Buffer.alloc(0));
        void this.#finish(/^\d{1,3}$/.test(text) ? Number(text) : cutOff('its exit code cannot be read'));
        break;
      default:
        break;
    }
  }

  /** The command is to start with its terminal's size. */
  async #go(): Promise<void> {
    const { clock } = this.#deps;
    await Promise.race([this.#firstSize.promise, clock.sleep(SIZE_WITHIN_MS, this.#inputOver.signal)]).catch(
      () => undefined,
    );
    await this.#io.type(LINE_END);
  }

  #startPlain(text: string): void {
    const hasTerminalSettings = text.startsWith('1');
    this.#running = true;
    this.#decoder = outputDecoder(text.slice(1), hasTerminalSettings);
    if (this.#access.framing.stdin) void this.#feedPlain();
    else if (hasTerminalSettings) this.#io.allowHolding();
  }

  async #feedTerminal(): Promise<void> {
    if (await this.#feed((bytes) => this.#io.type(bytes))) await this.#io.type(Control.endOfFile);
  }

  async #feedPlain(): Promise<void> {
    await this.#feed((bytes) => this.#io.type(toTerminalInput(bytes)));
    // Also where the command did not want all of it: the wrapper waits for the end.
    await this.#io.type(Control.endOfInput);
  }

  async #feed(sink: (bytes: Uint8Array) => Promise<void>): Promise<boolean> {
    const { stdin } = this.#streams;
    if (stdin === undefined) return false;
    try {
      return await pumpInput(stdin, sink, this.#inputOver.signal);
    } catch (error) {
      this.#outcome.reject(error);
      return false;
    }
  }

  /** The wrapper has said its last word, and is told that this has come. */
  async #finish(outcome: number | Error): Promise<void> {
    if (this.#io.isOver) return;
    this.#io.commandIsOver();
    this.#inputOver.abort();
    const marker = markerBytes(this.#access.framing.marker);
    void this.#io.type(Buffer.concat([LINE_END, marker, LINE_END]));
    await lastWords(this.#deps.clock, this.#io.channel.delivered());
    if (typeof outcome === 'number') this.#outcome.resolve(outcome);
    else this.#outcome.reject(outcome);
  }

  #ended(output: string): void {
    if (this.#io.isOver) return;
    const words = closingWords(output) || (this.#running ? '' : this.#noise.trim());
    this.#outcome.reject(startFailureOf(output) ?? cutOff(words));
  }
}

const NOT_FOUND = 'executable file not found in $PATH';
const NO_INPUT =
  'the image has no stty or no cat, without which input cannot be passed on unchanged: add -t, or leave out -i';
