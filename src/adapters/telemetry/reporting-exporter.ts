import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../ports/logger.ts';

/** The same exporter; the log tells when it begins to fail and when it has recovered, once each. */
export const reportingExporter = (exporter: SpanExporter, name: string, logger: Logger): SpanExporter => {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS;
        if (failed && !isFailing) logger.warn('traces are not sent', { exporter: name, error: result.error });
        if (!failed && isFailing) logger.info('traces are sent again', { exporter: name });
        isFailing = failed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
};
