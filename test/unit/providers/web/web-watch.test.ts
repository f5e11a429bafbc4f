import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../../src/core/clock.ts';
import type { Workload } from '../../../../src/model/workload.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';
import { json, providerOf, startService, WORKLOAD } from './stub-service.ts';

describe('the watch', () => {
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise(setImmediate);
  };

  it('connects again after it broke off, until it is ended', async () => {
    const clock = new FakeClock();
    const service = await startService((response) => {
      const version = service.seen.length;
      response.write(`${JSON.stringify({ ...WORKLOAD, version })}\n\n{"half": `, () => response.socket?.destroy());
    });
    const logger = new RecordingLogger();
    const seen: number[] = [];
    const end = providerOf(service.url, { clock, logger }).watch(({ version }) => seen.push(version));
    for (const want of [1, 2, 3]) {
      await until(() => logger.lines.length === want);
      await clock.advance(1_000);
    }
    end();
    await until(() => service.seen.length === 4);
    expect(seen.slice(0, 3)).toEqual([1, 2, 3]);
    expect(logger.lines[0]).toMatchObject({ level: 'warn', message: 'the watch of the service broke off' });
  });

  it('waits longer each time where nothing comes of it', async () => {
    const waits: number[] = [];
    const deadlines = new FakeClock();
    const clock: Clock = {
      now: () => 0,
      sleep: async (ms, given) => {
        if (ms === 10_000) return deadlines.sleep(ms, given);
        waits.push(ms);
      },
    };
    const { url } = await startService(json({}, 503));
    const end = providerOf(url, { clock }).watch(() => undefined);
    await until(() => waits.length >= 7);
    end();
    expect(waits.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('is left where the service has none', async () => {
    const clock = new FakeClock();
    const service = await startService(json({}, 404));
    const logger = new RecordingLogger();
    providerOf(service.url, { clock, logger }).watch(() => undefined);
    await until(() => logger.lines.length === 1);
    await clock.advance(3_600_000);
    expect(service.seen).toHaveLength(1);
    expect(logger.lines[0]).toMatchObject({ level: 'info' });
  });

  it('breaks off at what is no workload', async () => {
    const service = await startService((response) => void response.end('{"id": 7}\n'));
    const logger = new RecordingLogger();
    const seen: Workload[] = [];
    const end = providerOf(service.url, { logger }).watch((workload) => seen.push(workload));
    await until(() => logger.lines.length === 1);
    end();
    expect(seen).toEqual([]);
    expect(String(logger.lines[0]?.fields?.['error'])).toContain('(at id)');
  });
});
