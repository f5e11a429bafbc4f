import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { expect, it } from 'vitest';
import { reportingExporter } from '../../../../src/adapters/telemetry/reporting-exporter.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';

it('tells once that traces are not sent, and once that they are again', () => {
  const { SUCCESS, FAILED } = ExportResultCode;
  const codes = [SUCCESS, FAILED, FAILED, SUCCESS, SUCCESS, FAILED];
  const inner: SpanExporter = {
    export: (_, done) => done({ code: codes.shift() ?? SUCCESS }),
    shutdown: () => Promise.resolve(),
  };
  const logger = new RecordingLogger();
  const exporter = reportingExporter(inner, 'otlp', logger);
  const results: number[] = [];
  for (let count = 0; count < 6; count += 1) exporter.export([], ({ code }) => void results.push(code));
  expect(results).toEqual([0, 1, 1, 0, 0, 1]);
  expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'traces are not sent'],
    ['info', 'traces are sent again'],
    ['warn', 'traces are not sent'],
  ]);
});
