import type { NetworkFacts } from '../../../src/adapters/ec2/network-facts.ts';
import type { ConcurrencyFacts } from '../../../src/adapters/lambda/deployed-functions.ts';
import type { AccountReads } from '../../../src/cli/doctor/account-reads.ts';

/** An AWS account in which everything is as it should be for a deployment `dev` of one node `fargate`; to be spoilt. */
export class FakeAccount implements AccountReads {
  readonly parameters = new Map<string, string>();
  variables: Readonly<Record<string, string>> | undefined = {
    SVK_SETTINGS: JSON.stringify({
      deployment: 'dev',
      provider: 'fargate',
      nodes: [{ name: 'fargate', capacity: { cpu: '4', memory: '16Gi', pods: '10' }, profile: 'default' }],
      profiles: { default: { subnets: ['subnet-0a'], securityGroups: ['sg-0a'] } },
    }),
    SVK_TABLE: 'svk-dev',
    SVK_POD_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/pods',
    SVK_BEATS_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/beats',
    SVK_ECS_CLUSTER: 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev',
    SVK_LOG_GROUP: '/svk/dev/pods',
    SVK_EXECUTION_ROLE_ARN: 'arn:aws:iam::123456789012:role/svk-dev-execution',
    SVK_CREDENTIALS_PARAMETER: '/svk-system/dev/kubernetes',
    SVK_ADMISSION_SECRET_PARAMETER: '/svk-system/dev/admission',
  };
  executions: ConcurrencyFacts = { limit: 10, unreserved: 10, heartbeatReserved: undefined, workers: 4 };
  facts: NetworkFacts = {
    subnets: [
      { id: 'subnet-0a', vpc: 'vpc-1', freeAddresses: 9, routeTable: 'rtb-1', wayOut: 'nat-1', isBlackhole: false },
    ],
    securityGroups: [{ id: 'sg-0a', vpc: 'vpc-1', letsOut: true }],
    endpoints: [],
  };
  ahead: number | undefined = 0;

  parameter(name: string): Promise<string | undefined> {
    return Promise.resolve(this.parameters.get(name));
  }

  functionEnvironment(): Promise<Readonly<Record<string, string>> | undefined> {
    return Promise.resolve(this.variables);
  }

  concurrency(): Promise<ConcurrencyFacts> {
    return Promise.resolve(this.executions);
  }

  aheadMs(): number | undefined {
    return this.ahead;
  }

  vcpuQuotas(): Promise<{ readonly onDemand: number; readonly spot: number }> {
    return Promise.resolve({ onDemand: 6, spot: 6 });
  }

  network(): Promise<NetworkFacts> {
    return Promise.resolve(this.facts);
  }

  ecsCluster(): Promise<string | undefined> {
    return Promise.resolve('ACTIVE');
  }

  hasLogGroup(): Promise<boolean> {
    return Promise.resolve(true);
  }

  roleTrust(): Promise<readonly string[] | undefined> {
    return Promise.resolve(['ecs-tasks.amazonaws.com']);
  }
}
