import { createServer, type Server } from 'node:net';

/** A server that holds a port of its own. */
export const takenPort = async (): Promise<{ readonly server: Server; readonly port: number }> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
};
