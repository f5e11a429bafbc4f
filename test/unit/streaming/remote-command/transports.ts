import { afterEach } from 'vitest';
import type { RemoteCommandOptions, RemoteCommandSession } from '../../../../src/streaming/session.ts';
import type { CommandClient } from './command-client.ts';
import { CommandWorld } from './command-world.ts';
import { connectSpdy } from './spdy-command-client.ts';
import { connectWebSocket } from './websocket-command-client.ts';

/** A way by which kubectl carries a remote command. */
export interface Transport {
  readonly name: string;
  readonly protocol: string;
  readonly connect: (port: number, wish?: { readonly tty?: boolean }) => Promise<CommandClient>;
}

export interface StartedCommand {
  readonly world: CommandWorld;
  readonly client: CommandClient;
  readonly session: RemoteCommandSession;
}

export const TRANSPORTS: readonly Transport[] = [
  {
    name: 'SPDY',
    protocol: 'v4.channel.k8s.io',
    connect: (port, { tty = false } = {}) =>
      connectSpdy(port, tty ? { streams: ['error', 'stdin', 'stdout', 'resize'] } : {}),
  },
  { name: 'WebSocket', protocol: 'v5.channel.k8s.io', connect: (port) => connectWebSocket(port) },
];

/** Starts a command and its client for a test. Call it within `describe`: what the test has started ends with it. */
export const commandStarts = (
  connect: Transport['connect'],
): ((options?: Partial<RemoteCommandOptions>) => Promise<StartedCommand>) => {
  let world: CommandWorld | undefined;
  afterEach(() => world?.stop());
  return async (options) => {
    world = await CommandWorld.start(options);
    const client = await connect(world.port, options);
    return { world, client, session: await world.session() };
  };
};
