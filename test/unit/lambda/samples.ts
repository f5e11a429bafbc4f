import type { Context } from 'aws-lambda';
import { FakeClock } from '../../fakes/clock.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';

/** A context with so much time left. */
export const contextWith = (remainingMs: number): Context =>
  ({ getRemainingTimeInMillis: () => remainingMs, awsRequestId: 'r1' }) as Context;

export const context = contextWith(30_000);

export const optionsForTest = (): { readonly clock: FakeClock; readonly logger: RecordingLogger } => ({
  clock: new FakeClock(),
  logger: new RecordingLogger(),
});

export const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf8'));

/** Subject O=system:masters, O=ops, CN=kube-apiserver-kubelet-client. */
export const CLIENT_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIB9TCCAZugAwIBAgIUQ6X/RvWvbqpgDVNjJfmPg/gsuMYwCgYIKoZIzj0EAwIw
TzEXMBUGA1UECgwOc3lzdGVtOm1hc3RlcnMxDDAKBgNVBAoMA29wczEmMCQGA1UE
Awwda3ViZS1hcGlzZXJ2ZXIta3ViZWxldC1jbGllbnQwIBcNMjYxMjAxMDY1MjQy
WhgPMjEyNjExMDcwNjUyNDJaME8xFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQww
CgYDVQQKDANvcHMxJjAkBgNVBAMMHWt1YmUtYXBpc2VydmVyLWt1YmVsZXQtY2xp
ZW50MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/7dZPkjmC6oJALRWyCwlCEDp
C1BaW/bsXW2SyweXgapkTGZJz27h1bXxcdf6ME+4zASRx6vLSXjPKEeUiha4MKNT
MFEwHQYDVR0OBBYEFNk03uUZKryG5P4pyBlmm67vNm6WMB8GA1UdIwQYMBaAFNk0
3uUZKryG5P4pyBlmm67vNm6WMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwID
SAAwRQIhAKOXO/7R2HHoUwEqHRKU0Nji6qKw6yq77w0MQRS8SojyAiBJII+NUmUS
dqNmUxye/M0sfCHfa8sAyByJ29R0WwBM2w==
-----END CERTIFICATE-----
`;

/** An event of an HTTP API, payload 2.0. */
export const httpApiEvent = (
  method: string,
  rawPath: string,
  fields: Record<string, unknown> = {},
): Record<string, unknown> => ({
  version: '2.0',
  routeKey: '$default',
  rawPath,
  rawQueryString: '',
  headers: {},
  isBase64Encoded: false,
  requestContext: { stage: '$default', http: { method, path: rawPath, sourceIp: '203.0.113.7' } },
  ...fields,
});

/** An event of a REST API. */
export const restApiEvent = (
  httpMethod: string,
  path: string,
  fields: Record<string, unknown> = {},
): Record<string, unknown> => ({
  resource: '/{proxy+}',
  path,
  httpMethod,
  headers: null,
  multiValueHeaders: null,
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  body: null,
  isBase64Encoded: false,
  requestContext: { stage: 'dev', identity: { clientCert: null, sourceIp: '203.0.113.7' } },
  ...fields,
});
