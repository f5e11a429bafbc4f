import type { IncomingMessage } from 'node:http';
import { type RawData, WebSocket } from 'ws';
import { PermanentError, type SvkError, TransientError } from '../../core/errors.ts';
import type { FrameLink, FrameReceiver } from './frame-link.ts';

/** No message of an agent comes near it: its output comes by the kilobyte. */
const MAX_FRAME_BYTES = 1024 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
/** Neither of the official ends answers a close frame. */
const CLOSE_TIMEOUT_MS = 2000;

/**
 * Opens the WebSocket at `url`. `headers` go with the upgrade request.
 * @throws {TransientError} nobody answers there. @throws {PermanentError} the upgrade is refused.
 */
export const openWebSocketLink = (
  url: string,
  { headers, signal }: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<FrameLink> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // `closeTimeout` is missing in the types.
    const options = {
      headers: { ...headers },
      handshakeTimeout: CONNECT_TIMEOUT_MS,
      closeTimeout: CLOSE_TIMEOUT_MS,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
    };
    const socket = new WebSocket(url, options);
    const link = new WebSocketLink(socket);
    const giveUp = (): void => {
      socket.terminate();
      const reason: unknown = signal.reason;
      reject(reason instanceof Error ? reason : new TransientError('no exec session: told to stop'));
    };
    signal.addEventListener('abort', giveUp, { once: true });
    const settled = (act: () => void): void => {
      signal.removeEventListener('abort', giveUp);
      act();
    };
    socket.once('open', () => settled(() => resolve(link)));
    socket.once('unexpected-response', (_, response) => settled(() => reject(refusalOf(response))));
    socket.on('error', (cause) =>
      settled(() => reject(new TransientError(`no exec session: ${cause.message}`, { cause }))),
    );
  });

const refusalOf = (response: IncomingMessage): SvkError => {
  response.destroy();
  const { statusCode = 0 } = response;
  const text = `the exec session was refused with HTTP status ${statusCode}`;
  return statusCode === 401 || statusCode === 403
    ? new PermanentError(`${text}: allow ssmmessages:OpenDataChannel, and check the clock of this machine`)
    : new TransientError(text);
};

class WebSocketLink implements FrameLink {
  readonly #socket: WebSocket;
  #receiver: FrameReceiver | undefined;
  readonly #early: Buffer[] = [];
  #closed: string | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: RawData, isBinary: boolean) => {
      if (isBinary) this.#frame(bufferOf(data));
    });
    socket.on('pong', () => this.#receiver?.pong());
    socket.on('close', (code, reason) => this.#end(reasonOf(code, reason.toString('utf8'))));
  }

  receive(receiver: FrameReceiver): void {
    this.#receiver = receiver;
    for (const frame of this.#early.splice(0)) receiver.frame(frame);
    if (this.#closed !== undefined) receiver.closed(this.#closed);
  }

  send(frame: string | Buffer): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(frame);
  }

  ping(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping('keepalive');
  }

  pause(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.pause();
  }

  resume(): void {
    if (this.#socket.isPaused) this.#socket.resume();
  }

  close(): void {
    this.resume();
    this.#socket.close();
  }

  #frame(bytes: Buffer): void {
    if (this.#receiver === undefined) this.#early.push(bytes);
    else this.#receiver.frame(bytes);
  }

  #end(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#receiver?.closed(reason);
  }
}

const bufferOf = (data: RawData): Buffer => {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
};

const reasonOf = (code: number, reason: string): string =>
  reason === '' ? `WebSocket closed with code ${code}` : `WebSocket closed with code ${code}: ${reason.slice(0, 200)}`;
