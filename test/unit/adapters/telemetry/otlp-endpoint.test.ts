import { describe, expect, it } from 'vitest';
import { otlpTracesUrl } from '../../../../src/adapters/telemetry/otlp-endpoint.ts';

const ALL = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const TRACES = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';

describe('where traces are sent', () => {
  it.each([
    { environment: {}, url: undefined },
    { environment: { [ALL]: '' }, url: undefined },
    { environment: { [ALL]: 'http://c:4318' }, url: 'http://c:4318/v1/traces' },
    { environment: { [ALL]: 'https://c/otlp/' }, url: 'https://c/otlp/v1/traces' },
    { environment: { [TRACES]: 'http://c:4318/here' }, url: 'http://c:4318/here' },
    { environment: { [ALL]: 'http://a', [TRACES]: 'http://b/t' }, url: 'http://b/t' },
  ])('$environment gives $url', ({ environment, url }) => {
    expect(otlpTracesUrl(environment)).toBe(url);
  });

  it.each([
    { environment: { [ALL]: 'collector:4318' }, fault: 'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL' },
    { environment: { [ALL]: 'collector' }, fault: 'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL' },
    { environment: { [TRACES]: 'ftp://c' }, fault: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must be a URL' },
  ])('refuses $environment', ({ environment, fault }) => {
    expect(() => otlpTracesUrl(environment)).toThrow(fault);
  });
});
