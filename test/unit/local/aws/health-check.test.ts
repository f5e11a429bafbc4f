import { describe, expect, it } from 'vitest';
import { watchHealth } from '../../../../infra/local/aws/ecs/agent/health-check.ts';
import { FakeClock } from '../../../fakes/clock.ts';

type Exec = Parameters<typeof watchHealth>[0]['exec'];
type Check = Parameters<typeof watchHealth>[0]['check'];

const start = Date.UTC(2030, 0, 1);

/** What is reported within a minute, each with its second. */
const reports = async (check: Check, exec: (clock: FakeClock) => Exec): Promise<readonly string[]> => {
  const clock = new FakeClock(start);
  const seen: string[] = [];
  const ended = new AbortController();
  const done = watchHealth({
    check,
    clock,
    signal: ended.signal,
    exec: exec(clock),
    report: (health) => seen.push(`${(clock.now() - start) / 1000} ${health}`),
  });
  await clock.advance(60_000);
  ended.abort(new Error('the container has ended'));
  await done;
  return seen;
};

const exits =
  (code: number): (() => Exec) =>
  () =>
  async () =>
    code;

describe('watchHealth', () => {
  it('looks first after one interval', async () => {
    expect(await reports({ command: ['CMD', 'true'], interval: 25 }, exits(0))).toEqual(['25 HEALTHY', '50 HEALTHY']);
  });

  it('needs so many failures in a row', async () => {
    expect(await reports({ command: ['CMD', 'false'], interval: 10, retries: 5 }, exits(1))).toEqual([
      '50 UNHEALTHY',
      '60 UNHEALTHY',
    ]);
  });

  it('does not count failures within the start period', async () => {
    const check = { command: ['CMD', 'false'], interval: 10, retries: 1, startPeriod: 35 };
    expect(await reports(check, exits(1))).toEqual(['40 UNHEALTHY', '50 UNHEALTHY', '60 UNHEALTHY']);
  });

  it('takes a check that is too slow or cannot be run for a failure', async () => {
    const check = { command: ['CMD', 'slow'], interval: 20, timeout: 5, retries: 1 };
    const slow =
      (clock: FakeClock): Exec =>
      async (_, signal) => {
        await clock.sleep(600_000, signal).catch(() => undefined);
        return undefined;
      };
    const broken = (): Exec => async () => {
      throw new Error('the engine is gone');
    };
    expect(await reports(check, slow)).toEqual(['25 UNHEALTHY', '50 UNHEALTHY']);
    expect(await reports(check, broken)).toEqual(['20 UNHEALTHY', '40 UNHEALTHY', '60 UNHEALTHY']);
  });

  it('hands CMD over as it is and CMD-SHELL to a shell, and leaves NONE alone', async () => {
    const commands: (readonly string[])[] = [];
    const record = (): Exec => async (command) => {
      commands.push(command);
      return 0;
    };
    await reports({ command: ['CMD', 'curl', '-f', 'http://localhost'], interval: 60 }, record);
    await reports({ command: ['CMD-SHELL', 'test -f /ok || exit 1'], interval: 60 }, record);
    await reports({ command: ['NONE'], interval: 60 }, record);
    expect(commands).toEqual([
      ['curl', '-f', 'http://localhost'],
      ['/bin/sh', '-c', 'test -f /ok || exit 1'],
    ]);
  });
});
