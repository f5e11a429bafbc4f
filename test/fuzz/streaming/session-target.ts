import { type Duplex, duplexPair } from 'node:stream';
import { acceptPortForward } from '../../../src/streaming/port-forward.ts';
import { acceptRemoteCommand } from '../../../src/streaming/remote-command.ts';
import type { StreamDeps, StreamLimits, UpgradeRequest } from '../../../src/streaming/session.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { type UpgradeWish, upgradeInMemory } from '../../support/streaming/upgrade-in-memory.ts';
import type { FuzzTarget } from '../fuzz.ts';
import type { Conversation } from '../mutate.ts';

/** A session as far as a target can see it: whether it has noticed that its client is gone. */
export interface Watched {
  readonly signal: AbortSignal;
}

export type Accept = (upgrade: UpgradeRequest, limits: StreamLimits, deps: StreamDeps) => Promise<Watched | undefined>;

export interface SessionTargetOptions extends UpgradeWish {
  readonly name: string;
  readonly corpus: readonly Conversation[];
  readonly accept: Accept;
}

const LIMITS = { idleTimeoutMs: 14_400_000, creationTimeoutMs: 30_000 };
/** What a client can make a session hold: the buffers of its streams, and of its socket. */
const MOST_UNTAKEN_BYTES = 1_048_576;

/** Sessions on a socket in memory, upgraded as a server does. */
export const sessionTarget = ({ name, corpus, accept, ...request }: SessionTargetOptions): FuzzTarget => ({
  name,
  corpus,
  run: async (pieces) => {
    const { client, upgrade } = upgradeInMemory(request);
    const clock = new FakeClock();
    const closing = new AbortController();
    const accepted = accept(upgrade, LIMITS, { clock, closing: closing.signal });
    client.resume();
    for (const piece of pieces) {
      client.write(piece);
      if (client.writableNeedDrain) await turn();
    }
    await turns(6);
    if (upgrade.socket.writableLength > MOST_UNTAKEN_BYTES)
      throw new Error(`${upgrade.socket.writableLength} bytes wait to be sent`);
    client.destroy();
    upgrade.socket.destroy();
    await within(accepted.then((session) => session && aborted(session.signal)));
    closing.abort();
  },
});

/** A remote command that reads all of its input, echoes it, and ends when the input does. */
export const command =
  (tty: boolean): Accept =>
  async (upgrade, limits, deps) => {
    const options = { stdin: true, stdout: true, stderr: !tty, tty };
    const session = await acceptRemoteCommand(upgrade, options, limits, deps);
    if (session === undefined) return undefined;
    session.stdin?.on('data', (part: Buffer) => session.stdout?.write(part));
    session.stdin?.on('end', () => void session.finish({ exitCode: 3 }));
    void takeSizes(session.sizes);
    return session;
  };

const takeSizes = async (sizes: AsyncIterable<unknown>): Promise<void> => {
  for await (const size of sizes) if (size === undefined) throw new Error('no size');
};

/** A port-forward to an echo. */
export const forward: Accept = (upgrade, limits, deps) => acceptPortForward(upgrade, dialEcho, limits, deps);

const dialEcho = (): Promise<Duplex> => {
  const [near, far] = duplexPair();
  for (const end of [near, far]) end.on('error', () => undefined);
  far.pipe(far);
  return Promise.resolve(near);
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const turns = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) await turn();
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const within = async (promise: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('the session outlives its socket')), 20_000);
  });
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
};
