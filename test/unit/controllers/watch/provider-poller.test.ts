import { expect, it } from 'vitest';
import { ProviderPoller } from '../../../../src/controllers/watch/provider-poller.ts';
import { TransientError } from '../../../../src/core/errors.ts';
import { workloadOf } from '../../../contract/stores/samples.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { FakeProvider } from '../../../fakes/provider/fake-provider.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';

const SIGNAL = new AbortController().signal;

const world = () => {
  const clock = new FakeClock(0);
  const provider = new FakeProvider(clock);
  const logger = new RecordingLogger();
  const told: string[] = [];
  const poller = new ProviderPoller({
    provider,
    onChange: ({ id, phase, version }) => void told.push(`${id} ${phase} ${version}`),
    clock,
    logger,
  });
  provider.plant(workloadOf('a', { id: 'one' }));
  const poll = async (): Promise<readonly string[]> => {
    await poller.poll(SIGNAL);
    return told.splice(0);
  };
  return { clock, provider, logger, poller, poll, told };
};

it('tells what it finds, then only what changes', async () => {
  const { provider, poll } = world();
  expect(await poll()).toEqual(['one starting 1']);
  expect(await poll()).toEqual([]);
  provider.run('one');
  expect(await poll()).toEqual(['one running 2']);
});

it('tells of the end of what is not listed any more, once', async () => {
  const { provider, poll } = world();
  await poll();
  provider.exit('one', 0);
  expect(await poll()).toEqual(['one stopped 2']);
  provider.calls.length = 0;
  expect(await poll()).toEqual([]);
  expect(provider.calls).toEqual(['list']);
});

it('tells at first of what has stopped before, and never again', async () => {
  const { provider, poll } = world();
  provider.exit('one', 0);
  expect(await poll()).toEqual(['one stopped 2']);
  expect(await poll()).toEqual([]);
});

it('looks for what is missing for half a minute, then leaves it to the timer of its pod', async () => {
  const { provider, poll } = world();
  await poll();
  provider.hide('one');
  for (let round = 0; round < 5; round += 1) await poll();
  provider.run('one');
  provider.show('one');
  expect(await poll()).toEqual(['one running 2']);
  provider.forget('one');
  for (let round = 0; round < 6; round += 1) await poll();
  provider.calls.length = 0;
  await poll();
  expect(provider.calls).toEqual(['list']);
});

it('goes on when the provider does not answer', async () => {
  const { clock, provider, logger, poller, told } = world();
  provider.faults.failNext('list', new TransientError('no answer'));
  const end = new AbortController();
  const running = poller.run(end.signal);
  await clock.advance(4_999);
  expect(told).toEqual([]);
  await clock.advance(1);
  expect(told).toEqual(['one starting 1']);
  expect(logger.lines).toMatchObject([{ level: 'warn', message: 'provider not polled; it is tried again' }]);
  end.abort();
  await running;
});

it('asks large deployments less often', async () => {
  const { clock, provider, poller } = world();
  for (let pod = 0; pod < 999; pod += 1) provider.plant(workloadOf(`p${pod}`, { id: `w${pod}` }));
  const end = new AbortController();
  const running = poller.run(end.signal);
  await clock.advance(9_999);
  expect(provider.calls).toEqual(['list']);
  await clock.advance(1);
  expect(provider.calls).toEqual(['list', 'list']);
  end.abort();
  await running;
});
