import { protocolsOf, TOKEN_PROTOCOL } from '../core/websocket-protocols.ts';
import type { KubeletRequest } from './http.ts';

/** The token a request carries: in its `Authorization` header, else, as browsers must, among a WebSocket's protocols. */
export const bearerTokenOf = ({ headers }: Pick<KubeletRequest, 'headers'>): string | undefined => {
  const [scheme, token] = (headers['authorization'] ?? '').trim().split(' ', 2);
  if (scheme?.toLowerCase() === 'bearer' && token !== undefined && token !== '') return token;
  return webSocketTokenOf(headers);
};

/** By kubelet's rules: one token, beside a protocol that can be answered. */
const webSocketTokenOf = (headers: KubeletRequest['headers']): string | undefined => {
  if (headers['upgrade']?.toLowerCase() !== 'websocket') return undefined;
  const protocols = protocolsOf(headers['sec-websocket-protocol']);
  const [protocol, ...more] = protocols.filter((name) => name.startsWith(TOKEN_PROTOCOL));
  if (protocol === undefined || more.length > 0 || protocols.length === 1) return undefined;
  const encoded = protocol.slice(TOKEN_PROTOCOL.length);
  if (!/^[\w-]+$/.test(encoded)) return undefined;
  const token = Buffer.from(encoded, 'base64url').toString('latin1');
  return /^[\x21-\x7e]+$/.test(token) ? token : undefined;
};
