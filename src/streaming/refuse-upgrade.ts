import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

export interface UpgradeRefusal {
  readonly status: number;
  readonly body: string;
  /** Default: text/plain. */
  readonly contentType?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

/** Answers a request for an upgrade with plain HTTP, on the socket itself (Node has given it away), and closes it. */
export const refuseUpgrade = (socket: Duplex, { status, body, contentType, headers = [] }: UpgradeRefusal): void => {
  // A client that is gone already needs no answer.
  socket.on('error', () => undefined);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Content-Type: ${contentType ?? 'text/plain; charset=utf-8'}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
};

/** Refuses an upgrade to anything but WebSocket and SPDY/3.1. */
export const refuseOtherUpgrade = (socket: Duplex): void =>
  refuseUpgrade(socket, { status: 400, body: 'unable to upgrade: neither WebSocket nor SPDY/3.1 is asked for' });
