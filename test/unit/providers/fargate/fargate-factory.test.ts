import { expect, it } from 'vitest';
import { PermanentError } from '../../../../src/core/errors.ts';
import { fargateFactory } from '../../../../src/providers/fargate/fargate-factory.ts';
import { FakeClock, SeededRandom } from '../../../fakes/clock.ts';
import { FakeResourceStore } from '../../../fakes/stores/fake-resource-store.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';

const SETTINGS = {
  deployment: 'dev',
  provider: 'fargate',
  nodes: [
    {
      name: 'spot',
      capacity: { cpu: 20, memory: '80Gi', pods: 50 },
      labels: { zone: 'a' },
      taints: [{ key: 'spot', effect: 'NoExecute' }],
      architecture: 'arm64',
      profile: 'default',
    },
  ],
  profiles: { default: { subnets: ['subnet-0a'], securityGroups: ['sg-0a'] } },
};
const ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  SVK_ECS_CLUSTER: 'arn:aws:ecs:eu-central-1:123456789012:cluster/svk-dev',
  SVK_LOG_GROUP: '/svk/dev/pods',
  SVK_EXECUTION_ROLE_ARN: 'arn:aws:iam::123456789012:role/execution',
};

const create = (config: unknown, environment: Readonly<Record<string, string>> = ENVIRONMENT, node = 'spot') =>
  fargateFactory.create(config, {
    node,
    operatingSystem: 'linux',
    daemonPort: 10_250,
    clusterDomain: 'cluster.local',
    clock: new FakeClock(),
    random: new SeededRandom(1),
    logger: new RecordingLogger(),
    resources: new FakeResourceStore(),
    clusterHash: () => 'abc',
    environment,
  });

it('is the provider of the deployment that its settings describe', async () => {
  const { provider, node, deployment } = await create(SETTINGS);
  expect(provider.name).toBe('fargate');
  expect(deployment).toBe('dev');
  expect(node).toEqual({
    capacity: { cpu: '20', memory: '80Gi', pods: '50' },
    architecture: 'arm64',
    labels: { zone: 'a' },
    taints: [{ key: 'spot', effect: 'NoExecute' }],
  });
});

it('tells every fault of settings and environment at once', async () => {
  const creating = create({ ...SETTINGS, deployment: 'Dev' }, { SVK_ECS_CLUSTER: 'svk', AWS_REGION: '' });
  await expect(creating).rejects.toBeInstanceOf(PermanentError);
  await expect(creating).rejects.toThrow(
    /has 5 faults:\n {2}deployment: must be a lower-case letter.*\n {2}environment: AWS_REGION: is not set\n {2}environment: SVK_ECS_CLUSTER: must be an ARN\n {2}environment: SVK_LOG_GROUP: is not set\n {2}environment: SVK_EXECUTION_ROLE_ARN: is not set/,
  );
});

it('needs a node of its settings', async () => {
  await expect(create(SETTINGS, ENVIRONMENT, 'other')).rejects.toThrow(
    'nodes: has no node other: name one of spot by --nodename',
  );
});

it('needs settings', async () => {
  await expect(create(undefined)).rejects.toThrow(/deployment: must be a string/);
});
