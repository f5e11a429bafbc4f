import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface SignatureOptions {
  /** Upgrades must be signed, as newer Session Manager clients do it (1.2.764.0); off unless set. */
  readonly requireSignedUpgrades?: boolean;
  /** The only key that is known; undefined: any. */
  readonly accessKeyId?: string;
  /** With it signatures are computed again; without it only their form is looked at. */
  readonly secretAccessKey?: string;
}

/** What a signature says of itself, in the header `authorization` or in the query. */
interface Claim {
  readonly scope: readonly [key: string, day: string, region: string, service: string];
  /** `20300101T000000Z` */
  readonly at: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

/**
 * What is wrong with the SigV4 signature of an upgrade; undefined where nothing is (IAM guide, "Create a signed AWS API
 * request"). It has no body, and is for the service `ssmmessages`.
 */
export const signatureFault = (request: IncomingMessage, options: SignatureOptions): string | undefined => {
  const url = new URL(request.url ?? '', 'http://127.0.0.1');
  const header = request.headers.authorization;
  if (header === undefined && !url.searchParams.has('X-Amz-Signature')) {
    return options.requireSignedUpgrades ? 'the upgrade is not signed' : undefined;
  }
  const claim = header === undefined ? claimOfQuery(url.searchParams) : claimOfHeader(header, request);
  if (!claim) return 'the signature cannot be read';
  const [key, , , service] = claim.scope;
  if (service !== 'ssmmessages') return 'the signature is for another service';
  if (options.accessKeyId !== undefined && key !== options.accessKeyId) return 'the access key is not known here';
  if (!claim.signedHeaders.includes('host')) return 'the header host is not signed';
  if (options.secretAccessKey === undefined) return undefined;
  const computed = signatureOf(claim, canonicalOf(request, url, claim), options.secretAccessKey);
  return timingSafeEqual(Buffer.from(claim.signature), Buffer.from(computed))
    ? undefined
    : 'the signature does not match';
};

const claimOf = (credential: string, at: string, signedHeaders: string, signature: string): Claim | undefined => {
  const [key, day, region, service, end] = credential.split('/');
  if (!key || !day || !region || !service || end !== 'aws4_request') return undefined;
  if (!/^\d{8}T\d{6}Z$/.test(at) || !at.startsWith(day) || !/^[0-9a-f]{64}$/.test(signature)) return undefined;
  return { scope: [key, day, region, service], at, signedHeaders: signedHeaders.split(';'), signature };
};

const claimOfHeader = (header: string, { headers }: IncomingMessage): Claim | undefined => {
  const [, credential = '', signedHeaders = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=(\w+)$/.exec(header) ?? [];
  return claimOf(credential, String(headers['x-amz-date'] ?? ''), signedHeaders, signature);
};

const claimOfQuery = (query: URLSearchParams): Claim | undefined => {
  const of = (name: string): string => query.get(`X-Amz-${name}`) ?? '';
  if (of('Algorithm') !== 'AWS4-HMAC-SHA256' || !/^\d+$/.test(of('Expires'))) return undefined;
  return claimOf(of('Credential'), of('Date'), of('SignedHeaders'), of('Signature'));
};

const canonicalOf = ({ headers }: IncomingMessage, url: URL, { signedHeaders }: Claim): string => {
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort();
  return [
    'GET',
    url.pathname,
    query.join('&'),
    ...signedHeaders.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    signedHeaders.join(';'),
    headers['x-amz-content-sha256'] ?? hashOf(''),
  ].join('\n');
};

const signatureOf = ({ scope: [, ...scope], at }: Claim, canonical: string, secret: string): string => {
  const parts = [...scope, 'aws4_request'];
  const toSign = ['AWS4-HMAC-SHA256', at, parts.join('/'), hashOf(canonical)].join('\n');
  const key = parts.reduce<Buffer>((sum, part) => hmac(sum, part), Buffer.from(`AWS4${secret}`));
  return hmac(key, toSign).toString('hex');
};

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** As RFC 3986 has it, of which `encodeURIComponent` leaves out five characters. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
