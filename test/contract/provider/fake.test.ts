import { FakeClock } from '../../fakes/clock.ts';
import { FakeProvider } from '../../fakes/provider/fake-provider.ts';
import { describeProvider } from './provider-contract.ts';
import type { ProviderWorld } from './provider-world.ts';

describeProvider('fake', async (): Promise<ProviderWorld> => {
  const provider = new FakeProvider(new FakeClock());
  const exitCodes = new Map<string, number>();
  const notifications: unknown[] = [];
  provider.onChange = (workload) => notifications.push({ kind: 'fake-workload', workload });
  return {
    provider,
    pod: (uid, exitCode) => {
      if (exitCode !== undefined) exitCodes.set(uid, exitCode);
      return {
        metadata: { uid, name: 'web', namespace: 'shop' },
        spec: { containers: [{ name: 'main', image: 'x' }] },
      };
    },
    reachRunning: async (id) => {
      provider.run(id);
      provider.print(id, 'main', 'hello', 'bye');
    },
    reachEnd: async (id) => void provider.exit(id, exitCodes.get(provider.get(id).podUid ?? '')),
    reachStopped: async () => {},
    loseLaunch: (when) => provider.faults.nextLaunch({ kind: when === 'before' ? 'lost-request' : 'lost-answer' }),
    refuseLaunch: (cause) => provider.faults.nextLaunch({ kind: 'refused', cause, final: true, message: cause }),
    notifications: () => notifications,
  };
});
