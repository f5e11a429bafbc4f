import { MockProvider } from '../../../src/providers/mock/mock-provider.ts';
import { FakeClock, SeededRandom } from '../../fakes/clock.ts';
import { describeProvider } from './provider-contract.ts';
import type { ProviderWorld } from './provider-world.ts';

const mockWorld = async (): Promise<ProviderWorld> => {
  const clock = new FakeClock();
  return {
    provider: new MockProvider({ clock, random: new SeededRandom(7) }),
    pod: (uid) => ({
      metadata: { uid, name: 'web', namespace: 'shop' },
      spec: { containers: [{ name: 'main', image: 'foo' }] },
    }),
    reachRunning: () => clock.advance(0),
    reachEnd: () => clock.advance(0),
    reachStopped: () => clock.advance(0),
  };
};

describeProvider('mock', mockWorld, {
  runsAtOnce: true,
  runsForEver: true,
  exitCodeOfStop: 0,
  alwaysAnswers: true,
  isSilent: true,
  hasFigures: true,
});
