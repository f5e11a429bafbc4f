import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requestListener } from './http-listener.ts';
import { serveMetadata } from './metadata/metadata-server.ts';
import { type AwsServices, createAwsServices, type ServicesOptions } from './services.ts';
import { sessionUpgrade } from './sessions/session-server.ts';

export interface EmulatorOptions extends ServicesOptions {
  /** 0 or undefined: a free one. */
  readonly port?: number;
  /**
   * Requests must be signed with this access key id (signatures are not checked), and the control endpoint asks for it as
   * a bearer token. Undefined: any key, for tests.
   */
  readonly accessKeyId?: string;
  /** Signatures of WebSocket upgrades are computed again with it; those of requests never are. */
  readonly secretAccessKey?: string;
  /** WebSocket upgrades must carry a SigV4 signature for `ssmmessages`. Off unless set: older clients send none. */
  readonly requireSignedUpgrades?: boolean;
  /** Hears of every request as it comes, for those who count calls at the wire. */
  readonly onRequest?: (request: IncomingMessage) => void;
}

/** The running emulator. */
export interface AwsEmulator extends AwsServices {
  /** `http://127.0.0.1:PORT`, for AWS_ENDPOINT_URL_ECS, _CLOUDWATCH_LOGS, _SSM, _SECRETS_MANAGER and _KMS. */
  readonly url: string;
}

/**
 * Starts ECS, CloudWatch Logs, Parameter Store, Secrets Manager and KMS behind one HTTP server on 127.0.0.1, and the
 * metadata endpoint where the runtime's containers reach it.
 * @throws {Error} with code EADDRINUSE where the port is taken.
 */
export const startAwsEmulator = async (options: EmulatorOptions): Promise<AwsEmulator> => {
  const services = createAwsServices(options);
  const server = createServer(requestListener(services, options.accessKeyId));
  if (options.onRequest) server.on('request', options.onRequest);
  server.on('upgrade', sessionUpgrade(services, options));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  services.sessions.serveAt(`ws://127.0.0.1:${port}`);
  const { hostAddress } = options.runtime;
  const metadata = hostAddress === undefined ? undefined : await serveMetadata(services.ecs, hostAddress);
  if (metadata) services.ecs.serveMetadataAt(metadata.url);
  return {
    ...services,
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      services.sessions.close();
      await metadata?.close();
      await services.close();
      await closed;
    },
  };
};
