import type { Pod } from '../../../model/kubernetes.ts';
import type { FargateDeployment } from '../deployment.ts';
import type { Findings } from './findings.ts';

const ANNOTATION = 'svk.dev/task-role';
const ROLE_ARN = /^arn:[\w-]+:iam::(\d{12}):role(\/(?:[\w+=,.@-]+\/)*)[\w+=,.@-]{1,64}$/;

/**
 * The role of the pod's task: the one its annotation names, where that lies under the IAM path of its namespace in the
 * deployment's own account, or the operator's settings list it for the namespace; else the deployment's own. Undefined:
 * none, or the pod has been refused.
 */
export const taskRoleOf = (
  pod: Pod,
  { deployment, executionRoleArn, settings, taskRoleArn }: FargateDeployment,
  findings: Findings,
): string | undefined => {
  const wish = pod.metadata?.annotations?.[ANNOTATION];
  if (wish === undefined || wish === '' || wish === 'false') return taskRoleArn;
  const namespace = pod.metadata?.namespace ?? 'default';
  if (settings.taskRoles?.[namespace]?.includes(wish)) return wish;
  const [, account, path] = ROLE_ARN.exec(wish) ?? [];
  const own = `/svk/${deployment}/${namespace}/`;
  if (account !== undefined && account === accountOf(executionRoleArn) && path?.startsWith(own)) return wish;
  findings.refuse(
    `metadata.annotations['${ANNOTATION}']`,
    `role "${wish}" is not open to namespace "${namespace}": name the ARN of a role of this account under the IAM path ${own}, or have it listed in taskRoles of the settings`,
  );
  return undefined;
};

const accountOf = (arn: string): string | undefined => arn.split(':')[4];
