/** Where a container engine listens: what `http.request` needs to reach it. */
export type EngineAddress = { readonly socketPath: string } | { readonly host: string; readonly port: number };

/**
 * The address in `DOCKER_HOST` (`unix://PATH` or `tcp://HOST:PORT`), else Docker's own socket.
 * @throws {Error} naming the variable, for forms that need more than plain HTTP.
 */
export const engineAddress = (dockerHost = ''): EngineAddress => {
  if (dockerHost === '') return { socketPath: '/var/run/docker.sock' };
  if (dockerHost.startsWith('unix://')) return { socketPath: dockerHost.slice('unix://'.length) };
  const tcp = /^tcp:\/\/(\[[\da-f:]+\]|[^:/[\]]+):(\d+)\/?$/i.exec(dockerHost);
  if (tcp) return { host: (tcp[1] ?? '').replace(/^\[|\]$/g, ''), port: Number(tcp[2]) };
  throw new Error(`DOCKER_HOST: "${dockerHost}" is neither unix://PATH nor tcp://HOST:PORT`);
};

/** How to name it to a person. */
export const describeAddress = (address: EngineAddress): string =>
  'socketPath' in address ? address.socketPath : `${address.host}:${address.port}`;

/** True where the engine runs on this machine, so that its bridges are ours. */
export const isLocal = (address: EngineAddress): boolean => 'socketPath' in address;
