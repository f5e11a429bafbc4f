import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Clock } from '../../../core/clock.ts';
import { InvalidError, NotFoundError, TransientError } from '../../../core/errors.ts';
import type { LogQuery } from '../../../model/log-query.ts';
import type { AttachQuery, ExecQuery } from '../../../model/remote-query.ts';
import type { RemoteStreams } from '../../../ports/remote-streams.ts';
import { limitBytes } from '../../logs/limit-bytes.ts';
import { type InputOptions, LocalContainer } from './local-container.ts';
import { runPiped } from './piped-command.ts';
import { runInTerminal } from './terminal-command.ts';

/** A first process that is to run here. */
export interface LocalProcess extends InputOptions {
  readonly command: readonly string[];
}

/** How a first process has ended. */
export interface LocalEnd {
  readonly exitCode: number;
  /** Why it could not even be started. */
  readonly message?: string;
}

/**
 * This machine as the place where commands run, with the rights of the process itself and no isolation whatever: for
 * tests of everything between a client and a provider.
 */
export class LocalMachine {
  readonly #clock: Clock;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #containers = new Map<string, LocalContainer>();

  /** `environment` is all that commands find in theirs. */
  constructor({
    clock,
    environment,
  }: { readonly clock: Clock; readonly environment: Readonly<Record<string, string>> }) {
    this.#clock = clock;
    this.#environment = environment;
  }

  /** Starts the first process of a container, and tells when it has ended. */
  start(id: string, name: string, { command, ...input }: LocalProcess, onEnd: (end: LocalEnd) => void): void {
    try {
      const container = new LocalContainer({ command, environment: this.#environment }, input, this.#clock);
      this.#containers.set(keyOf(id, name), container);
      void container.ended.then((exitCode) => onEnd({ exitCode }));
    } catch (error) {
      if (!(error instanceof InvalidError)) throw error;
      onEnd({ exitCode: CANNOT_START, message: error.message });
    }
  }

  /** Ends it at once. Its output stays until it is forgotten. */
  stop(id: string, name: string): void {
    this.#containers.get(keyOf(id, name))?.kill();
  }

  forget(id: string, name: string): void {
    this.#containers.delete(keyOf(id, name));
  }

  async exec({ command, tty }: ExecQuery, streams: RemoteStreams, signal: AbortSignal): Promise<number> {
    const launch = { command, environment: { ...this.#environment, ...(tty && { TERM: 'xterm' }) } };
    return tty ? runInTerminal(launch, streams, { clock: this.#clock, signal }) : runPiped(launch, streams, signal);
  }

  async attach({ workloadId, container }: AttachQuery, streams: RemoteStreams, signal: AbortSignal): Promise<void> {
    const found = this.#containers.get(keyOf(workloadId, container));
    if (found === undefined) throw new NotFoundError(`container ${JSON.stringify(container)} runs no process`);
    await found.attach(streams, signal);
  }

  /** @throws {TransientError} nobody listens there. */
  async connect(port: number, signal: AbortSignal): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
    try {
      await once(socket, 'connect', { signal });
      return socket;
    } catch (cause) {
      socket.destroy();
      throw new TransientError(`nobody listens at port ${port}`, { cause });
    }
  }

  async *logs(query: LogQuery, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const found = this.#containers.get(keyOf(query.workloadId, query.container));
    if (found !== undefined) yield* limitBytes(found.log.read(query, signal), query.limitBytes);
  }
}

/** A shell's exit code for what it cannot run. */
const CANNOT_START = 127;

const keyOf = (id: string, name: string): string => `${id}/${name}`;
