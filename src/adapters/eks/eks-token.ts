import { SignatureV4 } from '@smithy/signature-v4';
import type { Clock } from '../../core/clock.ts';
import { TransientError } from '../../core/errors.ts';
import type { TokenSource } from '../kubernetes/token-source.ts';

/** An EKS cluster by the name and region it has in AWS. */
export interface EksCluster {
  readonly cluster: string;
  readonly region: string;
}

type SignerOptions = ConstructorParameters<typeof SignatureV4>[0];

/** Who signs: `credentials` and `sha256` of the configuration that any client of the SDK has resolved. */
export type AwsIdentity = Pick<SignerOptions, 'credentials' | 'sha256'>;

/** Tokens of an EKS cluster, signed by ourselves. */
export interface EksTokens {
  readonly tokens: TokenSource;
  /** The next token is a new one: the last was refused. */
  readonly forget: () => void;
}

/** Seconds the signed URL itself may take to reach STS; the token counts for 15 minutes from its signature. */
const PRESIGN_SECONDS = 60;
/** Before those 15 minutes are over, with two to spare for clocks that differ. */
const TOKEN_LIFE_MS = 13 * 60_000;

/**
 * Bearer tokens of the AWS identity the functions run as: a presigned STS GetCallerIdentity URL that names the cluster in
 * a signed header (the protocol of aws-iam-authenticator, which `aws eks get-token` speaks, too). Nothing is sent: the
 * cluster asks STS itself.
 */
export const eksTokens = (
  { cluster, region }: EksCluster,
  { clock, identity }: { readonly clock: Clock; readonly identity: AwsIdentity },
): EksTokens => {
  const signer = new SignatureV4({ ...identity, region, service: 'sts' });
  const hostname = `sts.${region}.${dnsSuffixOf(region)}`;
  const sign = async (): Promise<string> => {
    const request = {
      method: 'GET',
      protocol: 'https:',
      hostname,
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host: hostname, 'x-k8s-aws-id': cluster },
    };
    const options = { expiresIn: PRESIGN_SECONDS, signingDate: new Date(clock.now()) };
    const { query = {} } = await signer.presign(request, options);
    const search = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, [value].flat().join(',')]),
    );
    const url = `https://${hostname}/?${search.toString()}`;
    return `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`;
  };
  let held: { readonly at: number; readonly token: Promise<string> } | undefined;
  return {
    tokens: async () => {
      if (!held || clock.now() - held.at >= TOKEN_LIFE_MS) held = { at: clock.now(), token: sign() };
      const signing = held;
      try {
        return await signing.token;
      } catch (cause) {
        // A failure is not kept: the next request tries again.
        if (held === signing) held = undefined;
        throw new TransientError(`no token for EKS cluster ${cluster}: the AWS credentials cannot sign`, { cause });
      }
    },
    forget: () => {
      held = undefined;
    },
  };
};

/** AWS's domain in the partition of a region. */
const dnsSuffixOf = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com');
