import type { LaunchResult } from '../../model/launch.ts';
import type { Workload } from '../../model/workload.ts';
import type { Provider } from '../../ports/provider.ts';

/** The same provider; `onStarted` hears of every workload that a launch answers. */
export const followingProvider = (provider: Provider, onStarted: (workload: Workload) => void): Provider =>
  new Proxy(provider, {
    get: (target, key): unknown => {
      const member: unknown = Reflect.get(target, key, target);
      if (key === 'launch')
        return async (...args: Parameters<Provider['launch']>): Promise<LaunchResult> => {
          const result = await target.launch(...args);
          if (result.kind === 'started') onStarted(result.workload);
          return result;
        };
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
