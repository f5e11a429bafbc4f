import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import type { UpgradeRequest } from '../../../src/streaming/session.ts';

export interface UpgradeWish {
  readonly method: 'GET' | 'POST';
  readonly url?: string | undefined;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A request for an upgrade as a server hands it over, on a socket without a kernel's buffers, and the client's end. */
export const upgradeInMemory = ({
  method,
  url = '/',
  headers,
}: UpgradeWish): { readonly client: Duplex; readonly upgrade: UpgradeRequest } => {
  const [client, socket] = duplexPair({ highWaterMark: 65_536 });
  for (const end of [client, socket]) end.on('error', () => undefined);
  const message = new IncomingMessage(new Socket());
  message.method = method;
  message.url = url;
  message.headers = { ...headers };
  message.rawHeaders = Object.entries(headers).flat();
  return { client, upgrade: { message, socket, head: Buffer.alloc(0) } };
};

/** A handshake for this sub-protocol. */
export const webSocketHeaders = (protocol: string): Readonly<Record<string, string>> => ({
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
  'sec-websocket-protocol': protocol,
});
