import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import type { Clock } from '../../core/clock.ts';
import { PermanentError, TransientError } from '../../core/errors.ts';
import type { KubeconfigContext } from './kubeconfig.ts';
import { cachedTokens, type TokenSource } from './token-source.ts';

/** What an exec plugin or auth-provider gives: a token that it renews, or a client certificate for good. */
export interface PluginCredentials {
  readonly tokens?: TokenSource;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

/** Asks the plugin once, so that a wrong one is known at the start. @throws {PermanentError} naming the file. */
export const pluginCredentials = async (
  { file, text, context }: KubeconfigContext,
  clock: Clock,
): Promise<PluginCredentials> => {
  const config = new KubeConfig();
  config.loadFromString(text);
  config.setCurrentContext(context);
  const ask = async (): Promise<RequestOptions> => {
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    return options;
  };
  let first: RequestOptions;
  try {
    first = await ask();
  } catch (cause) {
    throw new PermanentError(
      `kubeconfig ${file}: its exec plugin or auth-provider failed; run kubectl with it to see`,
      {
        cause,
      },
    );
  }
  if (tokenOf(first) !== undefined) {
    const read = async (): Promise<string> => {
      const token = tokenOf(await ask());
      if (token === undefined) throw new TransientError('the plugin has given no token');
      return token;
    };
    return {
      tokens: cachedTokens(read, clock, (cause) => new TransientError(`kubeconfig ${file}: no new token`, { cause })),
    };
  }
  const { cert, key } = first;
  if (typeof cert === 'string' && typeof key === 'string') return { clientCertificate: cert, clientKey: key };
  throw new PermanentError(
    `kubeconfig ${file}: its exec plugin or auth-provider gave neither a token nor a certificate`,
  );
};

const tokenOf = ({ headers }: RequestOptions): string | undefined => {
  const authorization: unknown = headers && 'Authorization' in headers ? headers.Authorization : undefined;
  return typeof authorization === 'string' ? /^Bearer (.+)$/.exec(authorization)?.[1] : undefined;
};
