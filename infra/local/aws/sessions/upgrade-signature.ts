import type { IncomingMessage } from 'node:http';

interface Options {
  readonly requireSignedUpgrades?: boolean;
  readonly accessKeyId?: string;
}

/**
 * What is wrong with the SigV4 signature of an upgrade, in the header or the query; undefined where nothing is. It names the
 * service `ssmmessages` and a known key; as with all requests to the local cloud, its value is not computed again.
 */
export const signatureFault = (
  { url = '', headers }: IncomingMessage,
  { requireSignedUpgrades = false, accessKeyId }: Options,
): string | undefined => {
  const query = new URL(url, 'http://127.0.0.1').searchParams;
  const header = headers.authorization;
  const credential = header === undefined ? query.get('X-Amz-Credential') : /Credential=([^,\s]+)/.exec(header)?.[1];
  if (credential === null) return requireSignedUpgrades ? 'the upgrade is not signed' : undefined;
  const [key, day, region, service, end] = (credential ?? '').split('/');
  if (!key || !day || !region || end !== 'aws4_request') return 'the credential scope cannot be read';
  if (service !== 'ssmmessages') return 'the signature is for another service';
  if (accessKeyId !== undefined && key !== accessKeyId) return 'the access key is not known here';
  const signature = header === undefined ? query.get('X-Amz-Signature') : /Signature=(\w+)/.exec(header)?.[1];
  return /^[0-9a-f]{64}$/.test(signature ?? '') ? undefined : 'the signature is no SHA-256 in hexadecimal digits';
};
