import { readFile } from 'node:fs/promises';
import { faultsText } from '../../config/faults.ts';
import { PermanentError } from '../../core/errors.ts';
import type { CreatedProvider, ProviderDeps, ProviderFactory } from '../../ports/provider-factory.ts';
import { HttpClient } from './http-client.ts';
import { parseWebConfig } from './web-config.ts';
import { WebProvider } from './web-provider.ts';

/** `--provider web`: any HTTP service that speaks the protocol of docs/web-provider.openapi.yaml. */
export const webFactory: ProviderFactory = {
  name: 'web',
  create: async (input: unknown, { clock, logger }: ProviderDeps): Promise<CreatedProvider> => {
    const parsed = parseWebConfig(input);
    if (!parsed.ok) throw new PermanentError(faultsText('the configuration of provider web', parsed.faults));
    const { config } = parsed;
    const certificateAuthority = await readAuthority(config.certificateAuthorityFile);
    const client = new HttpClient({
      config,
      clock,
      ...(certificateAuthority !== undefined && { certificateAuthority }),
    });
    return { provider: new WebProvider({ client, clock, logger }), node: config.node };
  },
};

const readAuthority = async (file: string | undefined): Promise<string | undefined> => {
  if (file === undefined) return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new PermanentError(`certificateAuthorityFile ${file} cannot be read`, { cause });
  }
};
