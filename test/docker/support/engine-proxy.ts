import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineAddress } from '../../../infra/local/runtimes/docker/engine-address.ts';

/** Stands between us and the engine, so that the engine can be taken away. */
export interface EngineProxy {
  readonly address: EngineAddress;
  /** Connections that are open now. */
  readonly open: number;
  /** Breaks all connections and takes no new ones. */
  cut(): Promise<void>;
  /** Lets connections through again. */
  mend(): Promise<void>;
  /** Takes connections and never answers on them. */
  freeze(): void;
  close(): Promise<void>;
}

/** Starts it before the engine at `target`. */
export const startEngineProxy = async (target: EngineAddress): Promise<EngineProxy> => {
  const folder = await mkdtemp(join(tmpdir(), 'svk-proxy-'));
  const socketPath = join(folder, 'docker.sock');
  const sockets = new Set<Socket>();
  let frozen = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    keep(near);
    if (frozen) return;
    const far = connect({ ...('socketPath' in target ? { path: target.socketPath } : target), allowHalfOpen: true });
    keep(far);
    near.pipe(far).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  const listen = (): Promise<void> => new Promise((resolve) => server.listen(socketPath, resolve));
  const cut = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen();
  return {
    address: { socketPath },
    get open() {
      return sockets.size / 2;
    },
    cut,
    mend: async () => {
      frozen = false;
      if (!server.listening) await listen();
    },
    freeze: () => {
      frozen = true;
    },
    close: async () => {
      if (server.listening) await cut();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
