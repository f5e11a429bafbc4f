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
  const exporter = reportingExporter(inner, 'otlp', { logger, isEnding: () => false });
  const results: number[] = [];
  for (let count = 0; count < 6; count += 1) exporter.export([], ({ code }) => void results.push(code));
  expect(results).toEqual([0, 1, 1, 0, 0, 1]);
  expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'traces are not sent'],
    ['info', 'traces are sent again'],
    ['warn', 'traces are not sent'],
  ]);
});

it('asks one that fails no more while the process ends, and one that works as ever', () => {
  const { SUCCESS, FAILED } = ExportResultCode;
  let code = SUCCESS;
  let asked = 0;
  let isEnding = false;
  const inner: SpanExporter = {
    export: (_, done) => {
      asked += 1;
      done({ code });
    },
    shutdown: () => Promise.resolve(),
  };
  const exporter = reportingExporter(inner, 'otlp', { logger: new RecordingLogger(), isEnding: () => isEnding });
  const results: number[] = [];
  const send = (): void => exporter.export([], (result) => void results.push(result.code));
  isEnding = true;
  send();
  code = FAILED;
  send();
  send();
  expect(results).toEqual([0, 1, 1]);
  expect(asked).toBe(2);
});
