import { PermanentError } from '../../core/errors.ts';

const FOR_TRACES = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
const FOR_ALL = 'OTEL_EXPORTER_OTLP_ENDPOINT';

/**
 * Where traces are sent over HTTP, as OpenTelemetry's variables say it: the one for traces is the whole URL, the one for all
 * signals gets `/v1/traces`. Undefined where neither is set: the exporter's default, a collector on this machine.
 * @throws {PermanentError} naming the variable that is no URL.
 */
export const otlpTracesUrl = (environment: Readonly<Record<string, string | undefined>>): string | undefined => {
  const whole = environment[FOR_TRACES];
  if (whole) return httpUrl(FOR_TRACES, whole).href;
  const base = environment[FOR_ALL];
  if (!base) return undefined;
  const url = httpUrl(FOR_ALL, base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
};

const httpUrl = (variable: string, text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new PermanentError(`${variable} must be a URL such as http://localhost:4318: it has no http or https URL`);
};
