import type { FargateSettings } from './settings.ts';

/** What is fixed for one deployment; everything `prepare` knows besides the pod. */
export interface FargateDeployment {
  /** Deployment id; part of every name we give. */
  readonly deployment: string;
  /** ARN of the ECS cluster, which belongs to this deployment alone. */
  readonly clusterArn: string;
  /** CloudWatch log group of all containers. */
  readonly logGroup: string;
  readonly executionRoleArn: string;
  /**
   * Role of pods that name none, with the four ssmmessages actions only. Without it tasks run with execute-command
   * switched off, because ECS demands a role for that.
   */
  readonly taskRoleArn?: string;
  readonly settings: FargateSettings;
}

/** The region in an ARN. */
export const regionOf = (arn: string): string => arn.split(':')[3] ?? '';

/** Prefix of every log stream: `<prefix>/<container>/<task id>`. The task id makes it unique for ever. */
export const LOG_STREAM_PREFIX = 'svk';

/** The stream awslogs writes a container's output to. */
export const logStreamOf = (container: string, taskArn: string): string =>
  `${LOG_STREAM_PREFIX}/${container}/${taskIdOf(taskArn)}`;

/** The last part of a task's ARN. */
export const taskIdOf = (taskArn: string): string => taskArn.slice(taskArn.lastIndexOf('/') + 1);

/** Containers that ECS or we put beside the pod's own. Pods cannot use these names. */
export const isForeignContainer = (name: string): boolean =>
  /^(aws-fargate-supervisor$|aws-guardduty-agent|ecs-service-connect|svk-)/.test(name);
