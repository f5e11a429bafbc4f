import type { ProviderDeps } from '../../src/ports/provider-factory.ts';
import { FakeClock, SeededRandom } from '../fakes/clock.ts';
import { FakeResourceStore } from '../fakes/stores/fake-resource-store.ts';
import { RecordingLogger } from './recording-logger.ts';

/** What a process gives its provider, on fakes. */
export const aProviderDeps = (overrides: Partial<ProviderDeps> = {}): ProviderDeps => ({
  node: 'vk',
  operatingSystem: 'linux',
  daemonPort: 10250,
  clusterDomain: 'cluster.local',
  clock: new FakeClock(),
  random: new SeededRandom(1),
  logger: new RecordingLogger(),
  resources: new FakeResourceStore(),
  clusterHash: () => '0123456789ab',
  environment: {},
  ...overrides,
});
