import * as z from 'zod/mini';
import { faultsOf } from '../../config/faults.ts';
import type { Problem } from '../../model/problem.ts';
import { quantitySchema } from '../quantity-schema.ts';
import { isRefusedAddress } from './addresses.ts';

/** Where the service is, how to call it, and what its node offers. */
export interface WebConfig {
  /** Ends without a slash; the paths of the protocol follow it. */
  readonly url: string;
  /** File that holds the value of the Authorization header, read at every call. */
  readonly authorizationFile?: string;
  /** File with the PEM certificates that `url`'s must be signed by; undefined: the system's. */
  readonly certificateAuthorityFile?: string;
  /** How long one call may take. */
  readonly timeoutMs: number;
  readonly node: {
    readonly capacity?: Readonly<Record<string, string>>;
    readonly architecture?: 'amd64' | 'arm64';
    readonly providerID?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

export type ParsedWebConfig =
  | { readonly ok: true; readonly config: WebConfig }
  | { readonly ok: false; readonly faults: readonly Problem[] };

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

const isHttp = (text: string): boolean => ['http:', 'https:'].includes(urlOf(text)?.protocol ?? '');

const isBare = (text: string): boolean => {
  const url = urlOf(text);
  return !url || url.username + url.password + url.search + url.hash === '';
};

/** A Secret's value may travel: only the machine itself is reached without TLS. */
const isPrivate = (text: string): boolean => {
  const url = urlOf(text);
  return url?.protocol !== 'http:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
};

const isAllowed = (text: string): boolean => !isRefusedAddress(urlOf(text)?.hostname ?? '');

const file = z.string().check(z.minLength(1, 'must name a file'));

const schema = z.strictObject({
  url: z
    .string()
    .check(
      z.refine(isHttp, 'must be a URL as https://pods.example.com/v1'),
      z.refine(isBare, 'must have no user, password, query or fragment: give credentials by authorizationFile'),
      z.refine(isPrivate, 'must begin with https:// unless its host is this machine: it carries values of Secrets'),
      z.refine(isAllowed, 'must not be a link-local or metadata address'),
    ),
  authorizationFile: z.exactOptional(file),
  certificateAuthorityFile: z.exactOptional(file),
  timeoutSeconds: z._default(z.number().check(z.minimum(1, 'must be 1 to 60'), z.maximum(60, 'must be 1 to 60')), 10),
  node: z._default(
    z.strictObject({
      capacity: z.exactOptional(z.record(z.string(), quantitySchema)),
      architecture: z.exactOptional(z.enum(['amd64', 'arm64'])),
      providerID: z.exactOptional(z.string()),
      labels: z.exactOptional(z.record(z.string(), z.string())),
    }),
    {},
  ),
});

/** Reads the configuration of provider `web`. Reports every fault with its path. */
export const parseWebConfig = (input: unknown): ParsedWebConfig => {
  const parsed = schema.safeParse(input ?? {});
  if (!parsed.success) return { ok: false, faults: faultsOf(parsed.error.issues) };
  const { url, timeoutSeconds, ...rest } = parsed.data;
  return { ok: true, config: { ...rest, url: url.replace(/\/+$/, ''), timeoutMs: timeoutSeconds * 1_000 } };
};
