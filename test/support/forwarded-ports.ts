import { createInterface } from 'node:readline';

/** The local port of each remote one, as `kubectl port-forward` prints them. @throws {Error} where it ends before. */
export const forwardedPorts = async (
  output: NodeJS.ReadableStream,
  count: number,
): Promise<ReadonlyMap<number, number>> => {
  const ports = new Map<number, number>();
  for await (const line of createInterface(output)) {
    const [, local, remote] = /^Forwarding from 127\.0\.0\.1:(\d+) -> (\d+)$/.exec(line) ?? [];
    if (remote !== undefined) ports.set(Number(remote), Number(local));
    if (ports.size === count) return ports;
  }
  throw new Error('kubectl ended before it forwarded');
};
