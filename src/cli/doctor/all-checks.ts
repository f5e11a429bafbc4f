import type { Check } from './check.ts';
import { clockCheck } from './checks/clock.ts';
import { clusterCheck } from './checks/cluster.ts';
import { concurrencyCheck } from './checks/concurrency.ts';
import { credentialsCheck } from './checks/credentials.ts';
import { deploymentCheck } from './checks/deployment.ts';
import { logsCheck } from './checks/logs.ts';
import { nodesCheck } from './checks/nodes.ts';
import { rightsCheck } from './checks/rights.ts';
import { subnetsCheck } from './checks/subnets.ts';
import { taskResourcesCheck } from './checks/task-resources.ts';
import { vcpuCheck } from './checks/vcpu.ts';
import { webhookCheck } from './checks/webhook.ts';

/** In the order in which they explain each other. */
export const ALL_CHECKS: readonly Check[] = [
  deploymentCheck,
  credentialsCheck,
  clusterCheck,
  clockCheck,
  rightsCheck,
  webhookCheck,
  concurrencyCheck,
  vcpuCheck,
  subnetsCheck,
  taskResourcesCheck,
  nodesCheck,
  logsCheck,
];
