import type { FargateDeployment } from '../../src/providers/fargate/deployment.ts';

/** A deployment with one profile for on-demand and one for Spot, and a node of each architecture. */
export const aDeployment = (overrides: Partial<FargateDeployment> = {}): FargateDeployment => ({
  deployment: 'dev',
  clusterArn: 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev',
  logGroup: '/svk/dev/pods',
  executionRoleArn: 'arn:aws:iam::123456789012:role/svk-dev-execution',
  settings: {
    profiles: {
      standard: {
        subnets: ['subnet-0a', 'subnet-0b'],
        securityGroups: ['sg-0a'],
        assignPublicIp: false,
        capacityProvider: 'FARGATE',
        namespaces: [],
      },
      spot: {
        subnets: ['subnet-0c'],
        securityGroups: ['sg-0a', 'sg-0b'],
        assignPublicIp: true,
        capacityProvider: 'FARGATE_SPOT',
        platformVersion: '1.4.0',
        namespaces: ['batch'],
      },
    },
    nodes: {
      fargate: { architecture: 'amd64', profile: 'standard' },
      'fargate-arm': { architecture: 'arm64', profile: 'standard' },
    },
  },
  ...overrides,
});
