import type { X509Certificate } from 'node:crypto';
import { type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';

/** What the gateway itself answers, and the certificate it shows: `/pods` unless `options` say otherwise. */
export const ask = (
  port: number,
  options: RequestOptions = {},
): Promise<{ status: number; body: string; certificate: X509Certificate | undefined }> =>
  new Promise((resolve, reject) => {
    const all = { host: '127.0.0.1', port, path: '/pods', rejectUnauthorized: false, agent: false, ...options };
    const call = request(all, (response) => {
      const certificate = (response.socket as TLSSocket).getPeerX509Certificate();
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body, certificate }), reject);
    });
    call.on('error', reject);
    call.end();
  });
