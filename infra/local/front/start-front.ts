import { constants } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type Answer, gatewayAnswer, invokeBuffered } from './buffered.ts';
import { type PeerIdentity, peerIdentityOf } from './client-cert.ts';
import { toHttpEvent } from './http-event.ts';
import { toProxyEvent } from './proxy-event.ts';
import { invokeStreaming, type StreamingHandler } from './streaming.ts';

export interface FrontOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** PEM texts. `clientCertificateAuthority` is the domain's trust store. */
  readonly certificates: {
    readonly certificate: string;
    readonly privateKey: string;
    readonly clientCertificateAuthority: string;
  };
  /** True: as a domain with mutual TLS, nobody without a certificate. False (default): also as an endpoint without one. */
  readonly requireClientCertificate?: boolean;
  /** serverless-offline's Lambda endpoint: `http://127.0.0.1:3002`. */
  readonly lambdaUrl: string;
  /**
   * Answers everything but logs, buffered. The name the Lambda endpoint knows it by, and the event it expects: a REST
   * API's (`1.0`, default) or an HTTP API's (`2.0`).
   */
  readonly kubeletApi: { readonly functionName: string; readonly payload?: '1.0' | '2.0' };
  /** Answers `POST /admission/*`, as an HTTP API's route; without it there is none. */
  readonly admission?: { readonly functionName: string };
  /** Answers `GET /containerLogs/*`, streamed, in this process (see `loadStreamingHandler`). */
  readonly containerLogs: { readonly functionName: string; readonly handler: () => Promise<StreamingHandler> };
  /** Handed to the functions as they are; a deployment names the endpoint's node here. */
  readonly stageVariables?: Readonly<Record<string, string>>;
  /** Hears why an answer was 502 or 504, or a stream was cut. */
  readonly onFault?: (message: string) => void;
  /** Limits of API Gateway and Lambda, for tests. */
  readonly limits?: Partial<FrontLimits>;
}

export interface FrontLimits {
  readonly bufferedTimeoutMs: number;
  readonly streamTimeoutMs: number;
  readonly streamIdleTimeoutMs: number;
  readonly maxRequestBytes: number;
}

export interface Front {
  readonly port: number;
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** Cuts every connection and stops. */
  close(): Promise<void>;
}

const LIMITS: FrontLimits = {
  bufferedTimeoutMs: 29_000,
  streamTimeoutMs: 900_000,
  streamIdleTimeoutMs: 300_000,
  maxRequestBytes: 10_485_760,
};

/**
 * Stands for API Gateway in the local cloud: a REST API behind a domain that asks for client certificates. It hides the
 * functions behind their events just as the service does, limits included; a certificate that is not of the trust store
 * is refused (403), never ignored.
 */
export const startFront = async (options: FrontOptions): Promise<Front> => {
  const host = options.host ?? '127.0.0.1';
  const { certificate, privateKey, clientCertificateAuthority } = options.certificates;
  const server = createServer(
    {
      cert: certificate,
      key: privateKey,
      ca: [clientCertificateAuthority],
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      maxHeaderSize: 65_536,
      // A resumed session would not show its certificate again.
      secureOptions: constants.SSL_OP_NO_TICKET,
    },
    (request, response) => void serve(request, response, options),
  );
  const port = await listen(server, options.port, host);
  return {
    port,
    url: `https://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const serve = async (request: IncomingMessage, response: ServerResponse, options: FrontOptions): Promise<void> => {
  const limits = { ...LIMITS, ...options.limits };
  const onFault = options.onFault ?? (() => undefined);
  try {
    const identity = peerIdentityOf(request);
    if (!isWelcome(identity, options)) return send(response, gatewayAnswer(403, 'Forbidden'));
    const body = await readBody(request, limits.maxRequestBytes);
    if (body === undefined) return send(response, gatewayAnswer(413, 'Request Too Long'));
    const isLog = request.method === 'GET' && /^\/containerLogs\/./.test(request.url ?? '');
    const parts = {
      body,
      clientCert: identity.kind === 'verified' ? identity.clientCert : undefined,
      stageVariables: options.stageVariables,
      port: request.socket.localPort ?? 0,
    };
    if (isLog) {
      const event = toProxyEvent(request, { ...parts, resource: '/containerLogs/{proxy+}' });
      const { streamTimeoutMs: timeoutMs, streamIdleTimeoutMs: idleTimeoutMs } = limits;
      return await invokeStreaming(event, { ...options.containerLogs, timeoutMs, idleTimeoutMs }, response, onFault);
    }
    const { functionName, payload } = integrationOf(request, options);
    const event =
      payload === '2.0' ? toHttpEvent(request, parts) : toProxyEvent(request, { ...parts, resource: '/{proxy+}' });
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const target = { functionName, lambdaUrl: options.lambdaUrl, timeoutMs: limits.bufferedTimeoutMs };
    send(response, await invokeBuffered(event, target, gone.signal, onFault));
  } catch (error) {
    onFault(error instanceof Error ? error.message : String(error));
    response.destroy();
  }
};

const integrationOf = (
  { method, url = '' }: IncomingMessage,
  { admission, kubeletApi }: FrontOptions,
): FrontOptions['kubeletApi'] =>
  admission && method === 'POST' && url.startsWith('/admission/') ? { ...admission, payload: '2.0' } : kubeletApi;

const isWelcome = (identity: PeerIdentity, { requireClientCertificate = false }: FrontOptions): boolean =>
  identity.kind === 'verified' || (identity.kind === 'none' && !requireClientCertificate);

const send = (response: ServerResponse, { status, headers, body }: Answer): void => {
  if (response.closed) return;
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(content-length|transfer-encoding|connection)$/i.test(name),
  );
  response.writeHead(status, { ...Object.fromEntries(kept), 'content-length': String(body.length) }).end(body);
};

const readBody = async (request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes: unknown = chunk;
    if (!Buffer.isBuffer(bytes)) continue;
    length += bytes.length;
    if (length > limit) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
};

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
