import * as z from 'zod/mini';
import { PermanentError } from '../core/errors.ts';
import type { Problem } from '../model/problem.ts';
import { faultsOf, faultsText } from './faults.ts';
import { type Providers, readSettings, type Settings } from './settings.ts';

/** What a function of the deployment knows from its environment. */
export interface Environment<P> {
  /** SVK_SETTINGS */
  readonly settings: Settings<P>;
  /** SVK_TABLE: name of the DynamoDB table. */
  readonly table: string;
  /** SVK_POD_QUEUE_URL */
  readonly podQueueUrl: string;
  /** SVK_BEATS_QUEUE_URL */
  readonly beatsQueueUrl: string;
  /** SVK_ECS_CLUSTER: its ARN. */
  readonly ecsCluster: string;
  /** SVK_LOG_GROUP: where pods' containers log. */
  readonly logGroup: string;
  /** SVK_EXECUTION_ROLE_ARN */
  readonly executionRoleArn: string;
  /** SVK_TASK_ROLE_ARN: of pods that name no role; optional. */
  readonly taskRoleArn?: string;
  /** SVK_CREDENTIALS_PARAMETER: SSM parameter with the credentials of the API server. */
  readonly credentialsParameter: string;
  /** SVK_ADMISSION_SECRET_PARAMETER: SSM parameter with the secret of the webhook's path. */
  readonly admissionSecretParameter: string;
  /** SVK_KUBELET_ENDPOINTS: where the API server finds each node's kubelet API, by node name; optional. */
  readonly kubeletEndpoints: Readonly<Record<string, Endpoint>>;
  /** SVK_METRICS: `emf` where the functions write figures of their own into their logs; `none` by default. */
  readonly metrics: 'none' | 'emf';
  /** AWS_REGION */
  readonly region: string;
}

export interface Endpoint {
  /** A host name or an IP address. */
  readonly host: string;
  readonly port: number;
}

const text = (example: string) => z.string().check(z.minLength(1, `must not be empty: ${example}`));
const url = z.string().check(z.regex(/^https?:\/\/\S+$/, 'must be a URL'));
const arn = z.string().check(z.regex(/^arn:[\w-]+:\w+:/, 'must be an ARN'));
const parameter = z.string().check(z.regex(/^[\w.\-/]+$/, 'must be the name of an SSM parameter'));

const variables = z.object({
  SVK_TABLE: text('the name of the table'),
  SVK_POD_QUEUE_URL: url,
  SVK_BEATS_QUEUE_URL: url,
  SVK_ECS_CLUSTER: arn,
  SVK_LOG_GROUP: text('the name of the log group'),
  SVK_EXECUTION_ROLE_ARN: arn,
  SVK_TASK_ROLE_ARN: z.optional(arn),
  SVK_CREDENTIALS_PARAMETER: parameter,
  SVK_ADMISSION_SECRET_PARAMETER: parameter,
  SVK_METRICS: z._default(z.enum(['none', 'emf']), 'none'),
  AWS_REGION: text('such as eu-west-1'),
});

const port = z.int().check(z.refine((given) => given > 0 && given < 65_536, 'must be a port from 1 to 65535'));

const endpoints = z.record(z.string(), z.strictObject({ host: text('a host name or an IP address'), port }));

/**
 * Reads a function's environment. Empty variables count as absent.
 * @throws {PermanentError} whose message lists every fault, those of the settings by their path within.
 */
export const parseEnvironment = <P>(
  env: Readonly<Record<string, string | undefined>>,
  providers: Providers<P>,
): Environment<P> => {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = variables.safeParse(given);
  const settings = settingsOf(given['SVK_SETTINGS'], providers);
  const kubelets = endpointsOf(given['SVK_KUBELET_ENDPOINTS']);
  const faults = [
    ...(settings.ok ? [] : settings.faults),
    ...(parsed.success ? [] : faultsOf(parsed.error.issues).map(missing(given))),
    ...(kubelets.ok ? [] : kubelets.faults),
  ];
  if (!parsed.success || !settings.ok || !kubelets.ok) throw new PermanentError(faultsText('the environment', faults));
  const { data } = parsed;
  return {
    settings: settings.value,
    table: data.SVK_TABLE,
    podQueueUrl: data.SVK_POD_QUEUE_URL,
    beatsQueueUrl: data.SVK_BEATS_QUEUE_URL,
    ecsCluster: data.SVK_ECS_CLUSTER,
    logGroup: data.SVK_LOG_GROUP,
    executionRoleArn: data.SVK_EXECUTION_ROLE_ARN,
    ...(data.SVK_TASK_ROLE_ARN !== undefined && { taskRoleArn: data.SVK_TASK_ROLE_ARN }),
    credentialsParameter: data.SVK_CREDENTIALS_PARAMETER,
    admissionSecretParameter: data.SVK_ADMISSION_SECRET_PARAMETER,
    kubeletEndpoints: kubelets.value,
    metrics: data.SVK_METRICS,
    region: data.AWS_REGION,
  };
};

type Part<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: readonly Problem[] };

const settingsOf = <P>(json: string | undefined, providers: Providers<P>): Part<Settings<P>> => {
  if (json === undefined) return { ok: false, faults: [{ field: 'SVK_SETTINGS', message: MISSING }] };
  const read = readSettings(json, providers);
  return read.ok ? { ok: true, value: read.settings } : { ok: false, faults: read.faults.map(within('SVK_SETTINGS')) };
};

const endpointsOf = (json: string | undefined): Part<Readonly<Record<string, Endpoint>>> => {
  if (json === undefined) return { ok: true, value: {} };
  const field = 'SVK_KUBELET_ENDPOINTS';
  try {
    const parsed = endpoints.safeParse(JSON.parse(json));
    if (parsed.success) return { ok: true, value: parsed.data };
    return { ok: false, faults: faultsOf(parsed.error.issues).map(within(field)) };
  } catch {
    return {
      ok: false,
      faults: [{ field, message: 'must be JSON, such as {"fargate":{"host":"x.example","port":443}}' }],
    };
  }
};

const MISSING = 'is not set';

const missing =
  (given: Readonly<Record<string, unknown>>) =>
  ({ field, message }: Problem): Problem => ({ field, message: field in given ? message : MISSING });

const within =
  (variable: string) =>
  ({ field, message }: Problem): Problem => ({ field: `${variable}: ${field}`, message });
