import { X509Certificate } from 'node:crypto';
import * as z from 'zod/mini';
import type { KubernetesCredentials } from '../../adapters/kubernetes/credentials.ts';

/** When credentials end, in milliseconds since the epoch; undefined where they say nothing about it. */
export const endOfCredentials = ({ clientCertificate, token }: KubernetesCredentials): number | undefined => {
  if (token !== undefined) return endOfToken(token);
  return clientCertificate === undefined ? undefined : new X509Certificate(clientCertificate).validToDate.getTime();
};

const claims = z.looseObject({ exp: z.number() });

/** `exp` of a JWT; other tokens are opaque. */
const endOfToken = (token: string): number | undefined => {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    return claims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))).exp * 1_000;
  } catch {
    return undefined;
  }
};
