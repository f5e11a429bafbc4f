import { describe, expect, it } from 'vitest';
import { Reflector } from '../../../../src/controllers/watch/reflector.ts';
import { PermanentError, TransientError } from '../../../../src/core/errors.ts';
import type { Pod } from '../../../../src/model/kubernetes.ts';
import type { ListWatch, WatchEvent } from '../../../../src/ports/list-watch.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';

type Watch = readonly (WatchEvent<Pod> | Error | 'hang')[];

const pod = (name: string, resourceVersion: string): Pod => ({ metadata: { name, resourceVersion } });
const added = (name: string, version: string): WatchEvent<Pod> => ({ type: 'ADDED', object: pod(name, version) });

/** A server that answers lists and watches as scripted; a script that is used up hangs. */
const world = ({ lists = [], watches }: { lists?: readonly (Error | string)[]; watches: readonly Watch[] }) => {
  const clock = new FakeClock(0);
  const logger = new RecordingLogger();
  const calls: string[] = [];
  const seen: string[] = [];
  const [listed, watched] = [[...lists], [...watches]];
  const source: ListWatch<Pod> = {
    list: async () => {
      calls.push(`${clock.now()} list`);
      const answer = listed.shift() ?? '100';
      if (answer instanceof Error) throw answer;
      return { items: [pod('listed', answer)], resourceVersion: answer };
    },
    watch: async function* (resourceVersion, signal) {
      calls.push(`${clock.now()} watch ${resourceVersion}`);
      for (const event of watched.shift() ?? ['hang' as const]) {
        if (event instanceof Error) throw event;
        if (event === 'hang')
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        else yield event;
      }
    },
  };
  const sink = {
    replaced: (items: readonly Pod[]) =>
      void seen.push(`replaced ${items.map(({ metadata }) => metadata?.name).join()}`),
    changed: (type: string, { metadata }: Pod) => void seen.push(`${type} ${metadata?.name}`),
  };
  const random = { next: () => 0, uuid: () => '' };
  const reflector = new Reflector<Pod>({ what: 'pods', source, sink, clock, random, logger });
  const end = new AbortController();
  const running = reflector.run(end.signal);
  const stop = async (): Promise<void> => {
    end.abort();
    await running;
  };
  return { clock, logger, calls, seen, reflector, stop };
};

describe('a reflector', () => {
  it('lists, then follows the changes from there', async () => {
    const { clock, calls, seen, reflector, stop } = world({
      watches: [[added('a', '101'), { type: 'DELETED', object: pod('a', '102') }, 'hang']],
    });
    await clock.advance(0);
    await reflector.synced;
    expect(calls).toEqual(['0 list', '0 watch 100']);
    expect(seen).toEqual(['replaced listed', 'ADDED a', 'DELETED a']);
    await stop();
  });

  it('goes on where it was when the server ends the watch, bookmarks counting', async () => {
    const { clock, calls, stop } = world({
      watches: [[added('a', '101')], [{ type: 'BOOKMARK', resourceVersion: '150' }], ['hang']],
    });
    await clock.advance(0);
    expect(calls).toEqual(['0 list', '0 watch 100', '0 watch 101', '0 watch 150']);
    await stop();
  });

  it('lists again when the server has forgotten where it was', async () => {
    const { clock, calls, seen, stop } = world({
      lists: ['100', '200'],
      watches: [[added('a', '101'), { type: 'EXPIRED' }], ['hang']],
    });
    await clock.advance(0);
    expect(calls).toEqual(['0 list', '0 watch 100', '0 list', '0 watch 200']);
    expect(seen).toEqual(['replaced listed', 'ADDED a', 'replaced listed']);
    await stop();
  });

  it('does not list again for a connection that breaks', async () => {
    const { clock, calls, logger, stop } = world({
      watches: [[added('a', '101'), new TransientError('cut')], ['hang']],
    });
    await clock.advance(0);
    expect(calls).toEqual(['0 list', '0 watch 100', '0 watch 101']);
    expect(logger.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn watch broken, it is tried again',
    ]);
    await stop();
  });

  it('waits longer with every failure in a row, up to half a minute, and forgets them once it hears something', async () => {
    const refused = (): Watch => [new TransientError('refused')];
    const { clock, calls, stop } = world({
      watches: [...Array.from({ length: 8 }, refused), [added('a', '101'), new TransientError('cut')], ['hang']],
    });
    await clock.advance(200_000);
    const times = calls.slice(1).map((call) => Number(call.split(' ')[0]));
    expect(times).toEqual([0, 0, 800, 2_400, 5_600, 12_000, 24_800, 50_400, 80_400, 80_400]);
    await stop();
  });

  it('does not ask without end where every watch expires or ends at once', async () => {
    const { clock, calls, stop } = world({
      watches: Array.from({ length: 50 }, (): Watch => [{ type: 'EXPIRED' }]),
    });
    await clock.advance(10_000);
    expect(calls.length).toBeLessThan(15);
    await stop();
  });

  it('tries a list that fails again, and tells the operator where rights are missing', async () => {
    const { clock, calls, logger, stop } = world({
      lists: [new PermanentError('pods is forbidden'), '100'],
      watches: [['hang']],
    });
    await clock.advance(0);
    expect(calls).toEqual(['0 list', '0 list', '0 watch 100']);
    expect(logger.lines[0]).toMatchObject({ level: 'error', fields: { what: 'pods' } });
    await stop();
  });

  it('ends at once with its signal, also while it waits', async () => {
    const refused = (): Watch => [new TransientError('refused')];
    const { clock, stop } = world({ watches: Array.from({ length: 8 }, refused) });
    await clock.advance(1_000);
    await stop();
  });
});
