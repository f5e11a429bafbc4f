import type { Clock } from '../../core/clock.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Instruments } from './instruments.ts';

/** Calls that go out and come back; streams and pure methods are not calls of this kind. */
const MEASURED = new Set<string | symbol>([
  'provision',
  'launch',
  'describe',
  'find',
  'stop',
  'stats',
  'ping',
  'collect',
] satisfies (keyof Provider)[]);

/** The same provider, each of its calls measured. Methods it does not have stay missing. */
export const measuredProvider = (
  provider: Provider,
  { instruments, clock }: { readonly instruments: Pick<Instruments, 'providerCall'>; readonly clock: Clock },
): Provider =>
  new Proxy(provider, {
    get: (target, key): unknown => {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      if (!MEASURED.has(key)) return member.bind(target) as unknown;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        const began = clock.now();
        const done = (result: 'success' | 'error'): void =>
          instruments.providerCall(String(key), result, (clock.now() - began) / 1_000);
        try {
          const answer: unknown = await Reflect.apply(member, target, args);
          done('success');
          return answer;
        } catch (error) {
          done('error');
          throw error;
        }
      };
    },
  });
