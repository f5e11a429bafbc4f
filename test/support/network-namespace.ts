import { execFile } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where programs run that listen on an address which is not the loopback one. */
export interface Network {
  /** An address that is neither loopback nor link-local, which programs in the network may listen on. */
  readonly address: string;
  /** What to put before a command line so that it runs there. */
  readonly prefix: readonly string[];
  remove(): Promise<void>;
}

/** Of the range for documentation: nothing else has it. */
const ADDRESS = '198.51.100.1';

/**
 * A network namespace with one address that nothing outside reaches. Where it cannot be made (not root, no `ip`) the
 * machine's own network and its own address serve.
 */
export const openNetwork = async (): Promise<Network> => {
  const name = `svk-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  const ip = (...args: readonly string[]): Promise<unknown> => run('ip', [...args]);
  const remove = async (): Promise<void> => void (await ip('netns', 'delete', name));
  try {
    await ip('netns', 'add', name);
  } catch (error) {
    console.warn(`no network namespace, the machine's own network serves: ${String(error).split('\n')[0]}`);
    return { address: ownAddress(), prefix: [], remove: async () => undefined };
  }
  try {
    await ip('-n', name, 'link', 'set', 'lo', 'up');
    await ip('-n', name, 'link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'v1');
    await ip('-n', name, 'addr', 'add', `${ADDRESS}/24`, 'dev', 'v0');
    await ip('-n', name, 'link', 'set', 'v0', 'up');
    await ip('-n', name, 'link', 'set', 'v1', 'up');
  } catch (error) {
    await remove();
    throw error;
  }
  return { address: ADDRESS, prefix: ['ip', 'netns', 'exec', name], remove };
};

const ownAddress = (): string => {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'));
  if (!own) throw new Error('the machine has no address besides loopback and link-local ones');
  return own.address;
};
