import { CreateLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import { onTestFinished } from 'vitest';
import type { EmulatorOptions } from '../../../infra/local/aws/emulator.ts';
import { createAwsApis } from '../../../src/providers/fargate/aws/clients.ts';
import { FargateProvider } from '../../../src/providers/fargate/fargate-provider.ts';
import { SeededRandom } from '../../fakes/clock.ts';
import { FakeResourceStore } from '../../fakes/stores/fake-resource-store.ts';
import { aDeployment } from '../../golden/a-deployment.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';
import { startUpMs, startWorld, type World } from '../ecs-emulator/harness.ts';
import type { ProviderWorld } from './provider-world.ts';

const LOG_GROUP = '/svk/dev/pods';

export interface FargateWorld extends ProviderWorld {
  readonly provider: FargateProvider;
  readonly world: World;
  readonly resources: FakeResourceStore;
}

/** The real provider over the real SDK against the emulator, in virtual time unless `options` have another clock. */
export const fargateWorld = async (options: Partial<EmulatorOptions> = {}): Promise<FargateWorld> => {
  const world = await startWorld(options);
  await world.logs.send(new CreateLogGroupCommand({ logGroupName: LOG_GROUP }));
  const resources = new FakeResourceStore();
  const apis = createAwsApis({
    region: 'eu-central-1',
    endpoint: world.aws.url,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  onTestFinished(() => apis.close());
  const provider = new FargateProvider({
    ...aDeployment({ clusterArn: 'arn:aws:ecs:eu-central-1:123456789012:cluster/pods', logGroup: LOG_GROUP }),
    ...apis,
    resources,
    clock: options.clock ?? world.clock,
    random: new SeededRandom(3),
    logger: new RecordingLogger(),
    clusterHash: () => '0123456789ab',
  });
  const { faults } = world.aws;
  return {
    provider,
    world,
    resources,
    pod: (uid, exitCode) => {
      const script = `log hello; log bye${exitCode === undefined ? '' : `; run 10s; exit ${exitCode}`}`;
      return {
        metadata: { uid, name: 'web', namespace: 'shop' },
        spec: { containers: [{ name: 'main', image: 'app:1', env: [{ name: 'SVK_SIMULATE', value: script }] }] },
      };
    },
    reachRunning: () => world.clock.advance(startUpMs),
    reachEnd: () => world.clock.advance(15_000),
    reachStopped: () => world.clock.advance(15_000),
    loseLaunch: (when) => faults.inject({ kind: 'run-task-unanswered', when, manner: 'reset', count: 1 }),
    refuseLaunch: (cause) => faults.inject({ kind: cause === 'capacity' ? 'capacity' : 'vcpu-quota', count: 1 }),
    notifications: () => world.events,
  };
};
