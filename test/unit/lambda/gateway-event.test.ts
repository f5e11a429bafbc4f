import { describe, expect, it } from 'vitest';
import { parseGatewayEvent } from '../../../src/lambda/gateway-event.ts';
import { bytes, CLIENT_CERTIFICATE, httpApiEvent, restApiEvent } from './samples.ts';

const clientCert = {
  clientCertPem: CLIENT_CERTIFICATE,
  subjectDN: 'CN=somebody-else',
  issuerDN: 'CN=ca',
  serialNumber: '01',
  validity: { notBefore: 'Dec  1 06:52:42 2026 GMT', notAfter: 'Nov  7 06:52:42 2126 GMT' },
};

describe('an event of an HTTP API', () => {
  it('becomes a request', () => {
    const event = httpApiEvent('get', '/containerLogs/default/web/app', {
      rawQueryString: 'follow=true&tailLines=5&sinceTime=2030-01-01T00%3A00%3A00%2B01%3A00',
      headers: { Authorization: 'Bearer t', 'x-forwarded-for': '1.1.1.1,2.2.2.2' },
    });
    const { query, ...rest } = parseGatewayEvent(event);
    expect(rest).toEqual({
      method: 'GET',
      path: '/containerLogs/default/web/app',
      headers: { authorization: 'Bearer t', 'x-forwarded-for': '1.1.1.1,2.2.2.2' },
    });
    expect([...query]).toEqual([
      ['follow', 'true'],
      ['tailLines', '5'],
      ['sinceTime', '2030-01-01T00:00:00+01:00'],
    ]);
  });

  it.each([
    ['$default', '/dev/pods', '/dev/pods'],
    ['dev', '/dev/pods', '/pods'],
    ['dev', '/dev', '/'],
    ['dev', '/development', '/development'],
  ])('of stage %s has %s as path %s', (stage, rawPath, path) => {
    const event = httpApiEvent('GET', rawPath, { requestContext: { stage, http: { method: 'GET' } } });
    expect(parseGatewayEvent(event).path).toBe(path);
  });

  it.each([
    ['aGVsbG8=', true],
    ['hello', false],
  ])('has body %s (base64: %s) as bytes', (body, isBase64Encoded) => {
    expect(parseGatewayEvent(httpApiEvent('POST', '/', { body, isBase64Encoded })).body).toEqual(bytes('hello'));
  });

  it('has the subject of the verified certificate itself, not of what stands beside it', () => {
    const requestContext = { stage: '$default', http: { method: 'GET' }, authentication: { clientCert } };
    expect(parseGatewayEvent(httpApiEvent('GET', '/pods', { requestContext })).clientCertificate).toEqual({
      pem: CLIENT_CERTIFICATE,
      subject: { commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters', 'ops'] },
    });
  });

  it('has no certificate where the domain asked for none', () => {
    expect(parseGatewayEvent(httpApiEvent('GET', '/pods'))).not.toHaveProperty('clientCertificate');
  });
});

describe('an event of a REST API', () => {
  it('becomes a request, with every value of a list', () => {
    const event = restApiEvent('POST', '/exec/default/web/app', {
      headers: { 'X-Stream-Protocol-Version': 'v1' },
      multiValueHeaders: { 'X-Stream-Protocol-Version': ['v5', 'v4'], Accept: ['*/*'] },
      queryStringParameters: { command: 'b' },
      multiValueQueryStringParameters: { command: ['a', 'b c'], stdin: ['true'] },
      body: 'aGVsbG8=',
      isBase64Encoded: true,
    });
    const { query, ...rest } = parseGatewayEvent(event);
    expect(rest).toEqual({
      method: 'POST',
      path: '/exec/default/web/app',
      headers: { 'x-stream-protocol-version': 'v5, v4', accept: '*/*' },
      body: bytes('hello'),
    });
    expect([...query]).toEqual([
      ['command', 'a'],
      ['command', 'b c'],
      ['stdin', 'true'],
    ]);
  });

  it('does with single values where there are no lists', () => {
    const event = restApiEvent('GET', '/pods', { headers: { Host: 'h' }, queryStringParameters: { a: '1' } });
    const { headers, query } = parseGatewayEvent(event);
    expect(headers).toEqual({ host: 'h' });
    expect([...query]).toEqual([['a', '1']]);
  });

  it('has the verified certificate', () => {
    const requestContext = { identity: { clientCert } };
    expect(parseGatewayEvent(restApiEvent('GET', '/pods', { requestContext })).clientCertificate?.subject).toEqual({
      commonName: 'kube-apiserver-kubelet-client',
      organizations: ['system:masters', 'ops'],
    });
  });
});

it.each([[{}], [null], [{ version: '1.0' }], ['text']])('%j is no event of API Gateway', (event) => {
  expect(() => parseGatewayEvent(event)).toThrow('the event is neither one of an HTTP API');
});
