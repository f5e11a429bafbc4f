import type { AwsIdentity } from '../adapters/eks/eks-token.ts';
import { createSsmClient } from '../adapters/secrets/client.ts';
import { SsmParameters } from '../adapters/secrets/ssm-parameters.ts';
import { createSqsClient } from '../adapters/sqs/client.ts';
import { SqsWorkQueue } from '../adapters/sqs/work-queue.ts';
import { SystemClock } from '../adapters/system/system-clock.ts';
import { SystemRandom } from '../adapters/system/system-random.ts';
import { createPowertoolsLogger } from '../adapters/telemetry/powertools-logger.ts';
import { type Environment, parseEnvironment } from '../config/environment.ts';
import type { Clock, Random } from '../core/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { WorkQueue } from '../ports/work-queue.ts';
import type { FargateSettings } from '../providers/fargate/settings.ts';
import { createFunctionMetrics, type FunctionMetrics } from './function-metrics.ts';
import { PROVIDERS } from './providers.ts';

/** What a function is given: its variables, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** What a function takes from the machine, unless it is given something else. */
export interface Surroundings {
  readonly clock?: Clock;
  /** One line of the log, as it is: to the standard output by default. */
  readonly write?: (line: string) => void;
}

/** What every function of a deployment has before it talks to anybody. */
export interface Foundation {
  readonly environment: Environment<FargateSettings>;
  /** Other addresses than AWS's own, as the SDK reads them: `AWS_ENDPOINT_URL_<SERVICE>`. */
  readonly endpointOf: (service: 'DYNAMODB' | 'ECS' | 'SQS' | 'SSM') => string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly middleware: ReturnType<typeof createPowertoolsLogger>['middleware'];
  readonly metrics: FunctionMetrics;
  readonly parameters: SsmParameters;
  /** Signs for the role the function runs as. */
  readonly identity: AwsIdentity;
  readonly podQueue: WorkQueue;
  readonly beatsQueue: WorkQueue;
}

/** @throws {PermanentError} listing every fault of the environment and the settings in it. */
export const createFoundation = (
  variables: Variables,
  service: string,
  { clock = new SystemClock(), write = (line) => void process.stdout.write(line) }: Surroundings = {},
): Foundation => {
  const environment = parseEnvironment(variables, PROVIDERS);
  const { region } = environment;
  const endpointOf: Foundation['endpointOf'] = (name) => variables[`AWS_ENDPOINT_URL_${name}`];
  const at = (endpoint: string | undefined): { region: string; endpoint?: string } =>
    endpoint === undefined ? { region } : { region, endpoint };
  const ssm = createSsmClient(at(endpointOf('SSM')));
  const sqs = createSqsClient(at(endpointOf('SQS')));
  return {
    environment,
    endpointOf,
    clock,
    random: new SystemRandom(),
    ...createPowertoolsLogger({ service }),
    metrics: createFunctionMetrics({ environment, clock, write }),
    parameters: new SsmParameters({ client: ssm, clock }),
    identity: { credentials: ssm.config.credentials, sha256: ssm.config.sha256 },
    podQueue: new SqsWorkQueue({ client: sqs, queueUrl: environment.podQueueUrl, clock }),
    beatsQueue: new SqsWorkQueue({ client: sqs, queueUrl: environment.beatsQueueUrl, clock }),
  };
};
