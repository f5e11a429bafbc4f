import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Every port the local cloud listens on, all on the loopback address but for the kubelet endpoint (see `kubelet-address.ts`). */
export interface LocalPorts {
  /** serverless-offline's HTTP API: the admission function. */
  readonly http: number;
  /** serverless-offline's Lambda endpoint. */
  readonly lambda: number;
  readonly dynamodb: number;
  readonly queues: number;
  /** ECS, CloudWatch Logs and SSM. */
  readonly aws: number;
  readonly kubernetes: number;
  /** The page to look at. */
  readonly page: number;
  /** The kubelet endpoint: what an mTLS domain of API Gateway is in an account. */
  readonly kubelet: number;
}

/** The ports of a plain `npm start`. */
export const DEFAULT_PORTS: LocalPorts = {
  http: 10280,
  lambda: 10281,
  dynamodb: 10282,
  queues: 10283,
  aws: 10284,
  kubernetes: 10285,
  page: 10286,
  kubelet: 10250,
};

/**
 * A port of 127.0.0.1 that nobody listens on right now. It lies below those that systems give to outgoing connections (from
 * 32768 on Linux), so that none of the machine's connections takes it before it is used.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if ((await portInUse({ port })) === undefined) return port;
  }
};

/** Ports that nobody listens on right now. */
export const freePorts = async (): Promise<LocalPorts> => {
  const names = Object.keys(DEFAULT_PORTS) as (keyof LocalPorts)[];
  const ports = new Set<number>();
  while (ports.size < names.length) ports.add(await freePort());
  return Object.fromEntries(names.map((name, index) => [name, [...ports][index]])) as unknown as LocalPorts;
};

/** The first port that somebody else listens on, by name; undefined where all are free. */
export const portInUse = async (
  ports: LocalPorts | { readonly port: number },
): Promise<{ name: string; port: number } | undefined> => {
  for (const [name, port] of Object.entries(ports) as [string, number][]) {
    try {
      const server = await listen(port);
      await new Promise((resolve) => server.close(resolve));
    } catch {
      return { name, port };
    }
  }
  return undefined;
};

const listen = (port: number): Promise<ReturnType<typeof createServer>> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
