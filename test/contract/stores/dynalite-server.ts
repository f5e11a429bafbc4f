import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';

const require = createRequire(import.meta.url);

/** dynalite in this process, on a free port of the loopback address. */
export const startDynalite = async (): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const dynalite = require('dynalite') as (options: object) => Server;
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};
