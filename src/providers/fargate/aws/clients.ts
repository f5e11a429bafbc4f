import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { ECSClient } from '@aws-sdk/client-ecs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { createEcsApi, type EcsApi } from './ecs-api.ts';
import { createInsightsApi, type InsightsApi } from './insights-api.ts';
import type { KeysApi } from './keys-api.ts';
import { lazyKeysApi } from './lazy-keys-api.ts';
import { lazySecretsApi } from './lazy-secrets-api.ts';
import { createLogsApi, type LogsApi } from './logs-api.ts';
import { createParametersApi, type ParametersApi } from './parameters-api.ts';
import type { SecretsApi } from './secrets-api.ts';
import { createSessionsApi, type SessionsApi } from './sessions-api.ts';

export interface AwsApis {
  readonly ecs: EcsApi;
  readonly logs: LogsApi;
  readonly insights: InsightsApi;
  readonly parameters: ParametersApi;
  readonly secrets: SecretsApi;
  readonly sessions: SessionsApi;
  readonly keys: KeysApi;
  /** Closes the connections that are kept alive. */
  readonly close: () => void;
}

export interface AwsClientOptions {
  readonly region: string;
  /** Another address than AWS's (the local cloud); credentials are taken from the environment all the same. */
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

const CONNECTION_TIMEOUT_MS = 3000;
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * The SDK's clients as this provider needs them: every request answers within 10 s or fails, and nothing is sent twice
 * behind our back but reads of logs and the making of data keys. Who may repeat an effect is decided by those who know its token.
 */
export const createAwsApis = ({ region, endpoint, credentials }: AwsClientOptions): AwsApis => {
  const common = {
    region,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials && { credentials }),
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  };
  const ecs = new ECSClient({ ...common, maxAttempts: 1 });
  const logs = new CloudWatchLogsClient({ ...common, maxAttempts: 3 });
  const ssm = new SSMClient({ ...common, maxAttempts: 1 });
  const secrets = lazySecretsApi({ ...common, maxAttempts: 1 });
  const keys = lazyKeysApi({ ...common, maxAttempts: 2 });
  return {
    ecs: createEcsApi(ecs),
    logs: createLogsApi(logs),
    insights: createInsightsApi(logs),
    parameters: createParametersApi(ssm),
    secrets,
    sessions: createSessionsApi(ssm),
    keys,
    close: () => {
      for (const client of [ecs, logs, ssm]) client.destroy();
      secrets.close();
      keys.close();
    },
  };
};
