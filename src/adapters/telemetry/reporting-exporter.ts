import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../ports/logger.ts';

/**
 * The same exporter; the log tells when it begins to fail and when it has recovered, once each. One that fails is not asked
 * again while the process ends: it would be waited for in vain.
 */
export const reportingExporter = (
  exporter: SpanExporter,
  name: string,
  { logger, isEnding }: { readonly logger: Logger; readonly isEnding: () => boolean },
): SpanExporter => {
  let isFailing = false;
  return {
    export: (spans, done) => {
      if (isFailing && isEnding()) return done(NOT_SENT);
      return exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS;
        if (failed && !isFailing) logger.warn('traces are not sent', { exporter: name, error: result.error });
        if (!failed && isFailing) logger.info('traces are sent again', { exporter: name });
        isFailing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
};

const NOT_SENT = { code: ExportResultCode.FAILED, error: new Error('the exporter failed before') } as const;
