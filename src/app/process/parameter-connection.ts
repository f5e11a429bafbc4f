import { eksTokens } from '../../adapters/eks/eks-token.ts';
import type { Connection } from '../../adapters/kubernetes/connection.ts';
import { parseCredentials } from '../../adapters/kubernetes/credentials.ts';
import { createSsmClient } from '../../adapters/secrets/client.ts';
import { SsmParameters } from '../../adapters/secrets/ssm-parameters.ts';
import type { Clock } from '../../core/clock.ts';
import { PermanentError } from '../../core/errors.ts';
import type { Variables } from '../../ports/provider-factory.ts';

const READ_MS = 10_000;

/**
 * The way to the API server that the functions of a deployment take: credentials in an SSM parameter. A token in them that
 * is replaced is taken up within five minutes; a client certificate, or another cluster, with the next start.
 * @throws {PermanentError} naming what is missing or cannot be read.
 */
export const parameterConnection = async (
  name: string,
  { clock, environment }: { readonly clock: Clock; readonly environment: Variables },
): Promise<Connection> => {
  const { AWS_REGION: region, AWS_ENDPOINT_URL_SSM: endpoint } = environment;
  if (!region) throw new PermanentError('--credentials-parameter needs AWS_REGION');
  const client = createSsmClient({ region, ...(endpoint && { endpoint }) });
  const parameters = new SsmParameters({ client, clock });
  const source = `SSM parameter ${name}`;
  const read = async () => parseCredentials(await parameters.get(name, AbortSignal.timeout(READ_MS)), source);
  const { token, ...credentials } = await read();
  if (credentials.eks) {
    const identity = { credentials: client.config.credentials, sha256: client.config.sha256 };
    return { credentials, source, tokens: eksTokens(credentials.eks, { clock, identity }).tokens };
  }
  if (token === undefined) return { credentials, source };
  return { credentials, source, tokens: async () => (await read()).token ?? token };
};
