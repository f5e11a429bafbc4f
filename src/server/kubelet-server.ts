import { constants } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { Socket } from 'node:net';
import type { Clock } from '../core/clock.ts';
import { text } from '../kubelet/responses.ts';
import type { UpgradeHandler } from '../kubelet/upgrade.ts';
import type { Logger } from '../ports/logger.ts';
import type { StreamLimits } from '../streaming/session.ts';
import { upgradeKindOf } from '../streaming/upgrade-kind.ts';
import { Connections } from './connections.ts';
import { readRequest } from './read-request.ts';
import { sendResponse } from './send-response.ts';
import { Sessions } from './sessions.ts';
import { serveUpgrade } from './upgrades.ts';

/** PEM texts. `clientCertificateAuthority` signs the clients; without it no client certificate is believed. */
export interface ServerCertificates {
  readonly certificate: string;
  readonly privateKey: string;
  readonly clientCertificateAuthority?: string;
}

export interface KubeletServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly certificates: ServerCertificates;
  /** One that never upgrades will do. */
  readonly handler: UpgradeHandler;
  /** Of exec, attach and port-forward. Default: kubelet's. */
  readonly streamLimits?: StreamLimits;
  /** Sessions at once; more are turned away with 503. Default: 512. */
  readonly maxSessions?: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface KubeletServer {
  readonly port: number;
  /**
   * Certificates for new connections; those that are open keep theirs. Where the clients' authority is another one, they
   * end with the answer that is under way; sessions go on.
   */
  renew(certificates: ServerCertificates): void;
  /** Takes no new requests, ends streams cleanly, tells the clients of sessions, and cuts what is left after `graceMs` (default 5000). */
  close(graceMs?: number): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 30_000;
const REQUEST_TIMEOUT_MS = 60_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_TIMEOUT_MS = 90_000;
// Commands travel in the query of exec requests.
const MAX_HEADER_BYTES = 131_072;
const MAX_CONNECTIONS = 1_024;
// Clients of a kubelet wait for an answer before they ask again.
const MAX_PIPELINED = 4;
// Half of the connections: the rest is for logs, figures and health.
const MAX_SESSIONS = 512;
const STREAM_LIMITS: StreamLimits = { idleTimeoutMs: 14_400_000, creationTimeoutMs: 30_000 };
const CLOSE_GRACE_MS = 5_000;

/**
 * Serves one node's kubelet API over TLS 1.2 and later, HTTP/1.1 (what the API server's upgrades need). Client
 * certificates are asked for and verified, not required: a caller without one may still have a token. Renewed
 * certificates concern new connections: sessions go on.
 * @throws {Error} where the port is taken or the certificates do not parse.
 */
export const startKubeletServer = async (options: KubeletServerOptions): Promise<KubeletServer> => {
  const { handler, clock, logger, streamLimits = STREAM_LIMITS, maxSessions = MAX_SESSIONS } = options;
  const running = new Set<AbortController>();
  const sessions = new Sessions({ limits: streamLimits, capacity: maxSessions, clock, logger });
  const server = createServer(
    {
      ...secureOptionsOf(options.certificates),
      // Also where there is no authority yet: who signs clients may become known later.
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      shouldUpgradeCallback: (message: IncomingMessage) => upgradeKindOf(message) !== undefined,
    },
    (request, response) => {
      if (connections.answersOn(request.socket) >= MAX_PIPELINED) {
        request.socket.destroy();
        return;
      }
      connections.busy(request.socket, response);
      void serve(request, response, options, running);
    },
  );
  const connections = new Connections(server);
  server.on('upgrade', (message, socket, head) => {
    if (!(socket instanceof Socket) || connections.answersOn(socket) > 0) {
      // A session would write into the answer before it. Nobody who means well sends one behind an open request.
      logger.debug('upgrade behind an open request', {});
      socket.destroy();
      return;
    }
    connections.upgraded(socket);
    void serveUpgrade({ message, socket, head }, { handler, sessions, clock, logger });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('tlsClientError', (error) => logger.debug('TLS handshake failed', { error }));
  const port = await listen(server, options);
  let authority = options.certificates.clientCertificateAuthority;
  return {
    port,
    renew: (certificates) => {
      server.setSecureContext(secureOptionsOf(certificates));
      // Who was believed for the sake of the one before has to prove it anew.
      if (certificates.clientCertificateAuthority !== authority) connections.retire();
      authority = certificates.clientCertificateAuthority;
    },
    close: async (graceMs = CLOSE_GRACE_MS) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const controller of running) controller.abort(new Error('the server is shutting down'));
      sessions.close();
      connections.closeIdle();
      if (graceMs > 0) await within(graceMs, closed, clock);
      connections.destroyAll();
      await Promise.all([closed, sessions.ended()]);
    },
  };
};

const within = async (ms: number, promise: Promise<void>, clock: Clock): Promise<void> => {
  const enough = new AbortController();
  await Promise.race([promise, clock.sleep(ms, enough.signal).catch(() => undefined)]);
  enough.abort();
};

const serve = async (
  message: IncomingMessage,
  response: ServerResponse,
  { handler, clock, logger }: KubeletServerOptions,
  running: Set<AbortController>,
): Promise<void> => {
  const controller = new AbortController();
  const { socket } = message;
  running.add(controller);
  const leave = (): void => {
    running.delete(controller);
    socket.off('close', leave);
    controller.abort(new Error('the client has gone'));
  };
  response.once('close', leave);
  // An answer that waits behind another one on its connection is not told of that one's end.
  socket.once('close', leave);
  try {
    const request = await readRequest(message, { signal: controller.signal, now: clock.now() });
    if (request === undefined) {
      response.writeHead(413, { connection: 'close' }).end();
      return;
    }
    const answer = await handler(request);
    await sendResponse(response, 'kind' in answer ? NO_UPGRADE : answer);
  } catch (error) {
    if (!controller.signal.aborted) logger.error('request failed', { error });
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end('internal error');
  }
};

/** Node hands over what asks for an upgrade; a handler that sees one elsewhere must not run it. */
const NO_UPGRADE = text(400, 'unable to upgrade: neither WebSocket nor SPDY/3.1 is asked for');

/**
 * Sessions are not resumed: a resumed one would keep a client certificate alive past its end.
 */
const secureOptionsOf = ({ certificate, privateKey, clientCertificateAuthority }: ServerCertificates) => ({
  cert: certificate,
  key: privateKey,
  minVersion: 'TLSv1.2' as const,
  secureOptions: constants.SSL_OP_NO_TICKET,
  // Left out, Node would believe every public certificate authority.
  ca: clientCertificateAuthority === undefined ? [] : [clientCertificateAuthority],
});

const listen = (server: Server, { host, port }: KubeletServerOptions): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
