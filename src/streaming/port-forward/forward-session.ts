import { keepAlive } from '../heartbeat.ts';
import type { PortForwardSession, SessionFigures, StreamDeps, StreamLimits } from '../session.ts';
import type { StreamConnection } from '../stream-connection.ts';
import type { Traffic } from '../traffic.ts';
import { whenAborted } from '../when-aborted.ts';

export interface ForwardTransport {
  readonly connection: StreamConnection;
  readonly traffic: Traffic;
  readonly transport: SessionFigures['transport'];
  readonly protocol: string;
}

/** A port-forward on whatever carries its streams. */
export class ForwardSession implements PortForwardSession {
  readonly ended: Promise<void>;
  readonly #carried: ForwardTransport;
  readonly #over = new AbortController();

  constructor(carried: ForwardTransport, limits: StreamLimits, { clock, closing }: StreamDeps) {
    this.#carried = carried;
    const { connection, traffic } = carried;
    this.ended = new Promise((resolve) => whenAborted(this.#over.signal, resolve));
    whenAborted(connection.signal, () =>
      this.#over.abort(new Error('the client has gone', { cause: connection.signal.reason })),
    );
    // Not kept after the session: the server's signal outlives it.
    whenAborted(closing, () => this.#end('the server is closing'), connection.signal);
    void keepAlive(connection, clock);
    traffic.idle(limits.idleTimeoutMs, connection.signal).then(
      () => this.#end(`nothing was sent or received for ${limits.idleTimeoutMs / 1_000} s`),
      () => undefined,
    );
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  figures(): SessionFigures {
    const { transport, protocol, traffic } = this.#carried;
    return { transport, protocol, bytesIn: traffic.bytesIn, bytesOut: traffic.bytesOut };
  }

  close(): void {
    this.#end('it was closed');
  }

  #end(reason: string): void {
    this.#over.abort(new Error(reason));
    this.#carried.connection.close();
  }
}
