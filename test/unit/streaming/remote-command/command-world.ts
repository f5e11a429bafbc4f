import { acceptRemoteCommand } from '../../../../src/streaming/remote-command.ts';
import type { RemoteCommandOptions, RemoteCommandSession } from '../../../../src/streaming/session.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { Arrivals } from '../../../support/streaming/arrivals.ts';
import { type StreamServer, startStreamServer } from '../../../support/streaming/stream-server.ts';

export const HOURS_4_MS = 14_400_000;
export const SECONDS_30_MS = 30_000;

/** A server that accepts remote commands, with a clock that stands still. */
export class CommandWorld {
  readonly clock = new FakeClock();
  readonly closing = new AbortController();
  readonly #accepted = new Arrivals<RemoteCommandSession | undefined>();
  #server: StreamServer | undefined;

  static async start(options: Partial<RemoteCommandOptions> = {}): Promise<CommandWorld> {
    const world = new CommandWorld();
    const wanted = { stdin: true, stdout: true, stderr: true, tty: false, ...options };
    const limits = { idleTimeoutMs: HOURS_4_MS, creationTimeoutMs: SECONDS_30_MS };
    const deps = { clock: world.clock, closing: world.closing.signal };
    world.#server = await startStreamServer((upgrade) => {
      void acceptRemoteCommand(upgrade, wanted, limits, deps).then((session) => world.#accepted.add(session));
    });
    return world;
  }

  get port(): number {
    return this.#server?.port ?? 0;
  }

  get openSockets(): number {
    return this.#server?.sockets.size ?? 0;
  }

  /** What the next request became, in the order of their acceptance. */
  next(): Promise<RemoteCommandSession | undefined> {
    return this.#accepted.next();
  }

  /** The next request's session. */
  async session(): Promise<RemoteCommandSession> {
    const session = await this.next();
    if (session === undefined) throw new Error('the request became no session');
    return session;
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }
}
