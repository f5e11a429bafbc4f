const SETTINGS = {
  deployment: 'dev',
  provider: 'fargate',
  nodes: [
    { name: 'fargate', architecture: 'amd64', profile: 'default', capacity: { cpu: '8', memory: '32Gi', pods: 20 } },
  ],
  profiles: { default: { subnets: ['subnet-0123456789abcdef0'], securityGroups: ['sg-0123456789abcdef0'] } },
};

/** The variables of a function as the deployment sets them. */
export const ENVIRONMENT = {
  SVK_SETTINGS: JSON.stringify(SETTINGS),
  SVK_TABLE: 'svk-dev-Table-1',
  SVK_POD_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/svk-dev-PodQueue-1',
  SVK_BEATS_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/svk-dev-BeatsQueue-1',
  SVK_ECS_CLUSTER: 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev',
  SVK_LOG_GROUP: '/svk/dev/pods',
  SVK_EXECUTION_ROLE_ARN: 'arn:aws:iam::123456789012:role/svk-dev-ExecutionRole-1',
  SVK_CREDENTIALS_PARAMETER: '/svk-system/dev/kubernetes',
  SVK_ADMISSION_SECRET_PARAMETER: '/svk-system/dev/admission',
  SVK_KUBELET_ENDPOINTS: '{"fargate":{"host":"abc.execute-api.eu-west-1.amazonaws.com","port":443}}',
  AWS_REGION: 'eu-west-1',
} as const;
