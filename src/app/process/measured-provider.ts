import type { Clock } from '../../core/clock.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Tracer } from '../../ports/tracer.ts';
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

interface Measuring {
  readonly instruments: Pick<Instruments, 'providerCall'>;
  readonly clock: Clock;
  readonly tracer?: Tracer | undefined;
}

/**
 * The same provider, each of its calls measured, and a span where there is a tracer. Methods it does not have stay missing.
 * A launch that was refused or not answered counts as an error, though it does not throw.
 */
export const measuredProvider = (provider: Provider, { instruments, clock, tracer }: Measuring): Provider =>
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
          const call = async (): Promise<unknown> => (await Reflect.apply(member, target, args)) as unknown;
          const name = `provider.${String(key)}`;
          const attributes = { 'svk.provider': target.name };
          const answer = await (tracer ? tracer.span({ name, kind: 'client', attributes }, call) : call());
          done(key === 'launch' && !isStarted(answer) ? 'error' : 'success');
          return answer;
        } catch (error) {
          done('error');
          throw error;
        }
      };
    },
  });

const isStarted = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'started';
