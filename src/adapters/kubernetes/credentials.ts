import * as z from 'zod/mini';
import { PermanentError } from '../../core/errors.ts';

/** How to reach one API server and prove who we are. Certificates and keys are PEM texts. */
export interface KubernetesCredentials {
  /** `https://host:port`, with a path where the server sits behind one. `http` only on the loopback interface. */
  readonly server: string;
  /** CA of the server's certificate; the system's roots where it is left out. */
  readonly certificateAuthority?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly token?: string | undefined;
  /** The name in the server's certificate, where it differs from the one in `server`. */
  readonly tlsServerName?: string | undefined;
  /** Instead of token and certificate: an EKS cluster, for which whoever connects signs tokens with its AWS identity. */
  readonly eks?: { readonly cluster: string; readonly region: string } | undefined;
}

const pem = z.string('must be a PEM text').check(z.regex(/-----BEGIN [A-Z ]+-----/, 'must be a PEM text'));
const someText = z.string('must be a text').check(z.minLength(1, 'must not be empty'));

const credentials = z.strictObject({
  server: someText,
  certificateAuthority: z.optional(pem),
  clientCertificate: z.optional(pem),
  clientKey: z.optional(pem),
  token: z.optional(someText),
  tlsServerName: z.optional(someText),
  eks: z.optional(z.strictObject({ cluster: someText, region: someText })),
});

/**
 * Reads credentials from the JSON text they are stored as. `source` names where they come from.
 * @throws {PermanentError} naming every faulty field, never a value.
 */
export const parseCredentials = (text: string, source: string): KubernetesCredentials => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The parser's own message would quote the text, and with it a key.
    throw new PermanentError(`${source} is not JSON: store the credentials again`);
  }
  const parsed = credentials.safeParse(json);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown: ${issue.keys.join(', ')}`
        : `${issue.path.join('.') || 'the value'}: ${issue.message}`,
    );
    throw new PermanentError(`${source}: ${faults.join('; ')}`);
  }
  checkCredentials(parsed.data, source);
  return parsed.data;
};

/** @throws {PermanentError} where the parts do not fit together, or would cross a network in the clear. */
export const checkCredentials = (given: KubernetesCredentials, source: string): void => {
  const url = URL.parse(given.server);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new PermanentError(`${source}: server must be a URL such as https://203.0.113.7:6443`);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new PermanentError(`${source}: server ${url.origin} must use https: http is accepted on loopback only`);
  if ((given.clientCertificate === undefined) !== (given.clientKey === undefined))
    throw new PermanentError(`${source}: clientCertificate and clientKey come together or not at all`);
  if (given.eks && (given.token !== undefined || given.clientCertificate !== undefined))
    throw new PermanentError(`${source}: eks stands alone: leave out token, clientCertificate and clientKey`);
};

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
