import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTraces } from '../../../../src/adapters/telemetry/traces.ts';
import type { TraceOptions } from '../../../../src/ports/metrics.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { type OtlpCollector, startOtlpCollector } from '../../../support/otlp-collector.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';

const OPTIONS: TraceOptions = { exporters: ['otlp'], serviceName: 'virtual-kubelet', tags: {} };
const nothing = (): Promise<void> => Promise.resolve();

let collector: OtlpCollector;
let logger: RecordingLogger;
let clock: FakeClock;

const open = (options: Partial<TraceOptions> = {}): ReturnType<typeof openTraces> =>
  openTraces(
    { ...OPTIONS, ...options },
    { clock, logger, environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } },
  );

const named = (name: string): OtlpCollector['spans'][number] | undefined =>
  collector.spans.find((span) => span.name === name);

beforeEach(async () => {
  collector = await startOtlpCollector();
  logger = new RecordingLogger();
  clock = new FakeClock();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await collector.close();
});

describe('traces by OTLP', () => {
  it('reach the endpoint before the process ends, with service name and tags', async () => {
    const { tracer, close } = open({ serviceName: 'edge', tags: { region: 'eu', nodeName: 'n1' } });
    await tracer.span({ name: 'a' }, nothing);
    await close();
    expect(collector.paths).toEqual(['/v1/traces']);
    expect(named('a')?.resource).toMatchObject({ 'service.name': 'edge', region: 'eu', nodeName: 'n1' });
  });

  it('lie within each other, however the work waits in between', async () => {
    const { tracer, close } = open();
    const one = (name: string): Promise<void> =>
      tracer.span({ name: `${name}-outer`, startedMsAgo: 250 }, async () => {
        await Promise.resolve();
        await tracer.span({ name: `${name}-inner`, kind: 'client', attributes: { n: 1 } }, nothing);
      });
    await Promise.all([one('x'), one('y')]);
    await close();
    for (const name of ['x', 'y']) {
      const outer = named(`${name}-outer`);
      expect(named(`${name}-inner`)).toMatchObject({
        traceId: outer?.traceId,
        parentSpanId: outer?.spanId,
        kind: 3,
        attributes: { n: 1 },
      });
      expect(outer).toMatchObject({ parentSpanId: undefined, kind: 1, start: clock.now() - 250, end: clock.now() });
    }
    expect(named('x-outer')?.traceId).not.toBe(named('y-outer')?.traceId);
  });

  it('tell of failures without secrets, and pass them on', async () => {
    const { tracer, close } = open();
    const failing = tracer.span({ name: 'f' }, () => Promise.reject(new TypeError('Bearer abc is wrong')));
    await expect(failing).rejects.toThrow('Bearer abc is wrong');
    await close();
    expect(named('f')).toMatchObject({
      status: { code: 2, message: 'Bearer [redacted] is wrong' },
      attributes: { 'error.type': 'TypeError' },
    });
  });

  it.each([
    { rate: 0, least: 0, most: 0 },
    { rate: 0.5, least: 60, most: 140 },
    { rate: 1, least: 200, most: 200 },
    { rate: undefined, least: 200, most: 200 },
  ])('with a rate of $rate are kept $least to $most times of 200, whole', async ({ rate, least, most }) => {
    const { tracer, close } = open(rate === undefined ? {} : { sampleRatio: rate });
    for (let count = 0; count < 200; count += 1)
      await tracer.span({ name: 'outer' }, () => tracer.span({ name: 'inner' }, nothing));
    await close();
    const count = (name: string): number => collector.spans.filter((span) => span.name === name).length;
    expect(count('outer')).toBeGreaterThanOrEqual(least);
    expect(count('outer')).toBeLessThanOrEqual(most);
    expect(count('inner')).toBe(count('outer'));
  });

  it('that are refused are told of, those lost at the end too, and work goes on', async () => {
    collector.answerWith(400);
    const { tracer, close } = open();
    expect(await tracer.span({ name: 'a' }, () => Promise.resolve(7))).toBe(7);
    await close();
    expect(logger.lines).toMatchObject([
      { level: 'warn', message: 'traces are not sent', fields: { exporter: 'otlp' } },
      { level: 'warn', message: 'the last traces were not sent' },
    ]);
  });
});

describe('a collector that is not there', () => {
  const elapsed = async (work: () => Promise<void>): Promise<number> => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };

  // OpenTelemetry's exporter by itself goes on for five seconds.
  it('costs a process that ends two seconds at most', async () => {
    await collector.close();
    const { tracer, close } = open();
    await tracer.span({ name: 'a' }, nothing);
    expect(await elapsed(close)).toBeLessThan(4_000);
    expect(logger.lines.at(-1)).toMatchObject({ level: 'warn', message: 'the last traces were not sent' });
    collector = await startOtlpCollector();
  });

  it('is not asked again at the end where it has failed before', async () => {
    await collector.close();
    const { tracer, close } = open();
    // A full queue is sent without waiting for its time.
    for (let number = 0; number < 512; number += 1) await tracer.span({ name: 'a' }, nothing);
    await vi.waitFor(() => expect(logger.lines).toMatchObject([{ message: 'traces are not sent' }]), 10_000);
    await tracer.span({ name: 'b' }, nothing);
    expect(await elapsed(close)).toBeLessThan(900);
    collector = await startOtlpCollector();
  });
});

it('traces on the console are printed, to several exporters at once', async () => {
  const printed: unknown[] = [];
  vi.spyOn(console, 'dir').mockImplementation((item: unknown) => void printed.push(item));
  const { tracer, close } = open({ exporters: ['console', 'otlp'] });
  await tracer.span({ name: 'a' }, nothing);
  await close();
  expect(printed).toMatchObject([{ name: 'a' }]);
  expect(collector.spans.map(({ name }) => name)).toEqual(['a']);
});

it('an exporter nobody knows is refused', () => {
  expect(() => open({ exporters: ['jaeger'] })).toThrow('trace exporter must be otlp or console, not "jaeger"');
});
