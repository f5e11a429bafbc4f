import { expect, it } from 'vitest';
import { RecentWorkloads } from '../../../../src/controllers/watch/recent-workloads.ts';
import { NOW, workloadOf } from '../../../contract/stores/samples.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const SIGNAL = new AbortController().signal;
const [a, b] = [workloadOf('a1'), workloadOf('b2')];

const world = () => {
  const clock = new FakeClock(NOW);
  const asked: (readonly string[])[] = [];
  const recent = new RecentWorkloads(
    {
      describe: async (ids) => {
        asked.push(ids);
        return { workloads: [], missing: ids };
      },
    },
    clock,
  );
  return { clock, asked, recent };
};

it('answers once what was just read', async () => {
  const { asked, recent } = world();
  recent.keep([a, b]);
  expect(await recent.describe([a.id], SIGNAL)).toEqual({ workloads: [a], missing: [] });
  expect(asked).toEqual([]);
  await recent.describe([a.id], SIGNAL);
  expect(asked).toEqual([[a.id]]);
});

it('asks where it knows a part only', async () => {
  const { asked, recent } = world();
  recent.keep([a]);
  expect(await recent.describe([a.id, b.id], SIGNAL)).toEqual({ workloads: [], missing: [a.id, b.id] });
  expect(asked).toEqual([[a.id, b.id]]);
});

it('asks again five seconds later, whatever was read meanwhile', async () => {
  const { clock, asked, recent } = world();
  recent.keep([a]);
  await clock.advance(4_999);
  recent.keep([b]);
  expect((await recent.describe([a.id], SIGNAL)).workloads).toEqual([a]);
  recent.keep([a]);
  await clock.advance(5_000);
  await recent.describe([a.id], SIGNAL);
  expect(asked).toEqual([[a.id]]);
});
