import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { PermanentError } from '../../core/errors.ts';
import { awsError } from '../aws/errors.ts';
import type { KubernetesCredentials } from '../kubernetes/credentials.ts';
import type { EksCluster } from './eks-token.ts';

export interface DescribeClusterOptions {
  readonly signal: AbortSignal;
  /** Another address than AWS's. */
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * How to reach an EKS cluster, asked of EKS itself: server and CA, and the cluster's name for tokens that the functions
 * sign. @throws {PermanentError} where there is no such cluster or it has no endpoint yet.
 */
export const describeEksCluster = async (
  eks: EksCluster,
  { signal, ...client }: DescribeClusterOptions,
): Promise<KubernetesCredentials> => {
  const { cluster: name, region } = eks;
  const sdk = new EKSClient({ region, maxAttempts: 3, ...client });
  try {
    const { cluster } = await sdk.send(new DescribeClusterCommand({ name }), { abortSignal: signal });
    const authority = cluster?.certificateAuthority?.data;
    if (!cluster?.endpoint || !authority)
      throw new PermanentError(`EKS cluster ${name} is ${cluster?.status ?? 'unknown'}: try again when it is ACTIVE`);
    return {
      server: cluster.endpoint,
      certificateAuthority: Buffer.from(authority, 'base64').toString('utf8'),
      eks,
    };
  } catch (error) {
    const missing = `there is no EKS cluster ${name} in ${region}: correct --eks or --region`;
    throw awsError(error, { doing: `describe EKS cluster ${name} in ${region}`, missing });
  } finally {
    sdk.destroy();
  }
};
