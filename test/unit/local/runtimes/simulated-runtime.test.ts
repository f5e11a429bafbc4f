import { describe, expect, it } from 'vitest';
import { SimulatedRuntime } from '../../../../infra/local/runtimes/simulated/simulated-runtime.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { describeTaskRuntime, spec } from './runtime-contract.ts';

const playing = (script: string): ReturnType<typeof spec> => spec({ environment: { SVK_SIMULATE: script } });

describeTaskRuntime('simulated', () => new SimulatedRuntime(new FakeClock()), {
  printsAndExits3: playing('log hello; exit 3'),
  runs: playing('log ready'),
  ignoresTerm: playing('log ready; ignore-term'),
  cannotStart: playing('start-error no such file'),
});

describe('a simulated container', () => {
  it('takes the time its script says', async () => {
    const clock = new FakeClock();
    const sandbox = await new SimulatedRuntime(clock).openTask();
    const seen: string[] = [];
    const running = await sandbox.start(playing('log a; run 2s; log b; run 1m; exit 0'), (chunk) =>
      seen.push(`${clock.now() - Date.UTC(2030, 0, 1)} ${Buffer.from(chunk).toString().trim()}`),
    );
    void running.exited.then(() => seen.push(`${clock.now() - Date.UTC(2030, 0, 1)} end`));
    await clock.advance(120_000);
    expect(seen).toEqual(['0 a', '2000 b', '62000 end']);
  });

  it('repeats its steps with loop until it is stopped', async () => {
    const clock = new FakeClock();
    const sandbox = await new SimulatedRuntime(clock).openTask();
    let lines = 0;
    const running = await sandbox.start(playing('log tick; run 1s; loop'), () => {
      lines += 1;
    });
    await clock.advance(4500);
    running.terminate();
    await clock.advance(10_000);
    expect([lines, await running.exited]).toEqual([5, { exitCode: 143 }]);
  });

  it('answers health checks by its age', async () => {
    const clock = new FakeClock();
    const sandbox = await new SimulatedRuntime(clock).openTask();
    const running = await sandbox.start(playing('health unhealthy; health healthy after 5s'), () => {});
    const { signal } = new AbortController();
    const early = await running.exec(['check'], signal);
    await clock.advance(5000);
    expect([early, await running.exec(['check'], signal)]).toEqual([1, 0]);
  });

  it('prefers the variable to the label', async () => {
    const sandbox = await new SimulatedRuntime(new FakeClock()).openTask();
    const running = await sandbox.start(
      spec({ environment: { SVK_SIMULATE: 'exit 1' }, labels: { 'svk.dev/simulate': 'exit 2' } }),
      () => {},
    );
    expect(await running.exited).toEqual({ exitCode: 1 });
  });
});
