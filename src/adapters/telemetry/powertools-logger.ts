import { Logger as Powertools } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import type { LogFields, Logger } from '../../ports/logger.ts';
import { redactFields } from './redact.ts';

/** What we need of Powertools' logger. */
export interface LogSink {
  debug(message: string, fields: Record<string, unknown>): void;
  info(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

/** Structured log through Powertools, one JSON object a line. Fields are redacted on their way. */
export class PowertoolsLogger implements Logger {
  readonly #sink: LogSink;

  constructor(sink: LogSink) {
    this.#sink = sink;
  }

  debug(message: string, fields?: LogFields): void {
    this.#sink.debug(message, fieldsOf(fields));
  }

  info(message: string, fields?: LogFields): void {
    this.#sink.info(message, fieldsOf(fields));
  }

  warn(message: string, fields?: LogFields): void {
    this.#sink.warn(message, fieldsOf(fields));
  }

  error(message: string, fields?: LogFields): void {
    this.#sink.error(message, fieldsOf(fields));
  }
}

/**
 * The log of one Lambda function and the middleware that adds the invocation (request id, cold start, memory) to every
 * line. The level is Lambda's own setting where the function has one (advanced logging controls), else `level`.
 */
export const createPowertoolsLogger = ({
  service,
  level = 'INFO',
}: {
  readonly service: string;
  readonly level?: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
}): { readonly logger: Logger; readonly middleware: ReturnType<typeof injectLambdaContext> } => {
  const powertools = new Powertools({ serviceName: service, logLevel: level });
  return { logger: new PowertoolsLogger(powertools), middleware: injectLambdaContext(powertools) };
};

// Powertools drops fields of these names, with a warning of its own.
const RESERVED = new Set(['level', 'message', 'sampling_rate', 'service', 'timestamp']);

const fieldsOf = (fields: LogFields = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(redactFields(fields)).map(([name, value]) => [RESERVED.has(name) ? `${name}_` : name, value]),
  );
