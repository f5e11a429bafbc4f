/** Two nodes and every parameter that adds something to the stack. */
export const FULL: readonly string[] = Object.entries({
  settings: 'test/deploy/support/two-nodes.yml',
  domainName: 'svk.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d',
  trustStore: 's3://my-trust/kubelet-clients.pem',
  hostedZoneId: 'Z0123456789ABC',
  functionSubnets: 'subnet-0123456789abcdef0,subnet-0123456789abcdef1',
  functionSecurityGroups: 'sg-0123456789abcdef0',
  heartbeatConcurrency: '10',
  workerConcurrency: '8',
  eksCluster: 'prod',
  keyArn: 'arn:aws:kms:eu-west-1:123456789012:key/0a1b-2c3d',
  alarms: 'true',
  alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:operators',
  dashboard: 'true',
}).flatMap(([name, value]) => ['--param', `${name}=${value}`]);
