import { GetServiceQuotaCommand, ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { TransientError } from '../../core/errors.ts';
import { awsError } from '../aws/errors.ts';

/** vCPUs that tasks of one region may use at once. */
export interface VcpuQuotas {
  readonly onDemand: number;
  readonly spot: number;
}

/** "Fargate On-Demand vCPU resource count" and "Fargate Spot vCPU resource count". */
const CODES = { onDemand: 'L-3032A538', spot: 'L-36FBB829' } as const;

/** `endpoint`: another address than AWS's. */
export const readVcpuQuotas = async (
  options: { readonly region: string; readonly endpoint?: string },
  signal: AbortSignal,
): Promise<VcpuQuotas> => {
  const client = new ServiceQuotasClient({ ...options, maxAttempts: 3 });
  const read = async (QuotaCode: string): Promise<number> => {
    const command = new GetServiceQuotaCommand({ ServiceCode: 'fargate', QuotaCode });
    const { Quota } = await client.send(command, { abortSignal: signal });
    if (Quota?.Value === undefined) throw new TransientError(`Service Quotas gives no value for ${QuotaCode}`);
    return Quota.Value;
  };
  try {
    const [onDemand, spot] = await Promise.all([read(CODES.onDemand), read(CODES.spot)]);
    return { onDemand, spot };
  } catch (error) {
    throw awsError(error, { doing: "read Fargate's vCPU quotas" });
  } finally {
    client.destroy();
  }
};
