import type { TerminalSize } from '../../core/terminal-size.ts';
import type { CarriedStream } from '../carried-stream.ts';
import { keepAlive } from '../heartbeat.ts';
import { lingerUntilGone } from '../linger.ts';
import type {
  RemoteCommandResult,
  RemoteCommandSession,
  SessionFigures,
  StreamDeps,
  StreamLimits,
} from '../session.ts';
import type { StreamConnection } from '../stream-connection.ts';
import type { Traffic } from '../traffic.ts';
import { whenAborted } from '../when-aborted.ts';
import { toStatusText } from './command-status.ts';
import { TerminalSizes } from './terminal-sizes.ts';

export interface CommandStreams {
  readonly error: CarriedStream;
  readonly stdin?: CarriedStream | undefined;
  readonly stdout?: CarriedStream | undefined;
  readonly stderr?: CarriedStream | undefined;
  readonly resize?: CarriedStream | undefined;
}

export interface CommandTransport {
  readonly connection: StreamConnection;
  readonly streams: CommandStreams;
  readonly traffic: Traffic;
  readonly transport: SessionFigures['transport'];
  readonly protocol: string;
  /** 1 to 5. */
  readonly version: number;
}

/** What a client that is cut off has to take note of it. */
const CUT_OFF_MS = 10_000;

/** A remote command on whatever carries its streams. */
export class CommandSession implements RemoteCommandSession {
  readonly sizes: AsyncIterable<TerminalSize>;
  readonly #carried: CommandTransport;
  readonly #deps: StreamDeps;
  readonly #over = new AbortController();
  #finished: Promise<void> | undefined;

  constructor(carried: CommandTransport, limits: StreamLimits, deps: StreamDeps) {
    this.#carried = carried;
    this.#deps = deps;
    const { connection, streams, traffic } = carried;
    const sizes = new TerminalSizes();
    this.sizes = sizes;
    streams.resize?.on('data', (data: Buffer) => sizes.receive(data));
    // Clients send nothing there.
    for (const stream of [streams.error, streams.stdout, streams.stderr]) stream?.discard();
    whenAborted(connection.signal, () => {
      sizes.end();
      this.#over.abort(new Error('the client has gone', { cause: connection.signal.reason }));
    });
    // Not kept after the session: the server's signal outlives it.
    whenAborted(deps.closing, () => this.#cutOff('the server is closing'), connection.signal);
    void keepAlive(connection, deps.clock);
    traffic.idle(limits.idleTimeoutMs, connection.signal).then(
      () => this.#cutOff(`nothing was sent or received for ${limits.idleTimeoutMs / 1_000} s`),
      () => undefined,
    );
  }

  get stdin(): CarriedStream | undefined {
    return this.#carried.streams.stdin;
  }

  get stdout(): CarriedStream | undefined {
    return this.#carried.streams.stdout;
  }

  get stderr(): CarriedStream | undefined {
    return this.#carried.streams.stderr;
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  figures(): SessionFigures {
    const { transport, protocol, traffic } = this.#carried;
    return { transport, protocol, bytesIn: traffic.bytesIn, bytesOut: traffic.bytesOut };
  }

  finish(result: RemoteCommandResult): Promise<void> {
    this.#finished ??= this.#finish(result);
    return this.#finished;
  }

  async #finish(result: RemoteCommandResult): Promise<void> {
    const { connection, version } = this.#carried;
    const { error, stdin, stdout, stderr, resize } = this.#carried.streams;
    // Input nobody reads any more would keep the client's pings and its goodbye from being seen.
    stdin?.discard();
    resize?.discard();
    await Promise.all([stdout?.finishWriting(), stderr?.finishWriting()]);
    await error.finishWriting(Buffer.from(toStatusText(result, version)));
    // Lets an interactive client stop reading its terminal.
    await stdin?.finishWriting();
    connection.conclude();
    await lingerUntilGone(connection, this.#deps.clock);
  }

  #cutOff(message: string): void {
    const { connection } = this.#carried;
    if (connection.signal.aborted) return;
    this.#over.abort(new Error(message));
    void this.finish({ message });
    this.#deps.clock.sleep(CUT_OFF_MS, connection.signal).then(
      () => connection.close(),
      () => undefined,
    );
  }
}
