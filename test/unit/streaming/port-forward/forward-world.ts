import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { TransientError } from '../../../../src/core/errors.ts';
import { acceptPortForward } from '../../../../src/streaming/port-forward.ts';
import type { DialPort, PortForwardSession } from '../../../../src/streaming/session.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { Arrivals } from '../../../support/streaming/arrivals.ts';
import { type StreamServer, startStreamServer } from '../../../support/streaming/stream-server.ts';

/** What a target does with a connection to it. */
export type Target = (socket: net.Socket) => void;

export const echo: Target = (socket) => void socket.pipe(socket);

/** A server that accepts port-forwards to targets of this process, with a clock that stands still. */
export class ForwardWorld {
  readonly clock = new FakeClock();
  readonly closing = new AbortController();
  /** Ports that were dialled in vain. */
  readonly refused: number[] = [];
  readonly dialled: number[] = [];
  readonly targetSockets = new Set<net.Socket>();
  readonly #targets: net.Server[] = [];
  readonly #ports = new Map<number, number>();
  readonly #accepted = new Arrivals<PortForwardSession | undefined>();
  #server: StreamServer | undefined;

  /** @param targets by port, as clients see them */
  static async start(targets: Readonly<Record<number, Target>>, dial?: DialPort): Promise<ForwardWorld> {
    const world = new ForwardWorld();
    for (const [port, target] of Object.entries(targets)) await world.#listen(Number(port), target);
    const limits = { idleTimeoutMs: 14_400_000, creationTimeoutMs: 30_000 };
    const deps = {
      clock: world.clock,
      closing: world.closing.signal,
      onRefused: (port: number) => void world.refused.push(port),
    };
    world.#server = await startStreamServer((upgrade) => {
      const dialling = dial ?? ((port) => world.#dial(port));
      void acceptPortForward(upgrade, dialling, limits, deps).then((session) => world.#accepted.add(session));
    });
    return world;
  }

  get port(): number {
    return this.#server?.port ?? 0;
  }

  next(): Promise<PortForwardSession | undefined> {
    return this.#accepted.next();
  }

  async session(): Promise<PortForwardSession> {
    const session = await this.next();
    if (session === undefined) throw new Error('the request became no session');
    return session;
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    for (const socket of this.targetSockets) socket.destroy();
    for (const target of this.#targets) target.close();
  }

  async #listen(port: number, target: Target): Promise<void> {
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      this.targetSockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.targetSockets.delete(socket));
      target(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#targets.push(server);
    this.#ports.set(port, (server.address() as AddressInfo).port);
  }

  async #dial(port: number): Promise<net.Socket> {
    this.dialled.push(port);
    const actual = this.#ports.get(port);
    if (actual === undefined) throw new TransientError(`connect ECONNREFUSED: port ${port}`);
    const socket = net.connect({ port: actual, host: '127.0.0.1', allowHalfOpen: true });
    await once(socket, 'connect');
    return socket;
  }
}
