import { X509Certificate } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterEach, describe, expect, it } from 'vitest';
import { TestAuthority } from '../../server/test-certificates.ts';
import { FrontWorld, withCertificate } from './front-world.ts';

const RECORD = (events: APIGatewayProxyEvent[]) => (event: APIGatewayProxyEvent) => {
  events.push(event);
  return { statusCode: 200, body: 'ok' };
};

afterEach(FrontWorld.stopAll);

describe('the front before a buffered function', () => {
  it('hands over the event of a REST API', async () => {
    const events: APIGatewayProxyEvent[] = [];
    const world = await FrontWorld.start({
      invoke: RECORD(events),
      options: { stageVariables: { node: 'vk-a' } },
    });
    await world.get(
      '/exec/ns/web/app?command=a%20b&command=c&tty=1',
      {
        method: 'POST',
        headers: {
          'X-Stream-Protocol-Version': ['v5', 'v4'],
          authorization: 'Bearer t',
          connection: 'Upgrade',
          upgrade: 'SPDY/3.1',
        },
      },
      Buffer.from([0, 255]),
    );
    const [event] = events;
    expect(event).toMatchObject({
      resource: '/{proxy+}',
      path: '/exec/ns/web/app',
      httpMethod: 'POST',
      headers: {
        'X-Stream-Protocol-Version': 'v4',
        authorization: 'Bearer t',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-For': '127.0.0.1',
      },
      multiValueHeaders: { 'X-Stream-Protocol-Version': ['v5', 'v4'] },
      queryStringParameters: { command: 'c', tty: '1' },
      multiValueQueryStringParameters: { command: ['a b', 'c'], tty: ['1'] },
      pathParameters: { proxy: 'exec/ns/web/app' },
      stageVariables: { node: 'vk-a' },
      body: 'AP8=',
      isBase64Encoded: true,
      requestContext: { domainName: '127.0.0.1', identity: { clientCert: null, sourceIp: '127.0.0.1' } },
    });
    expect(Object.keys(event?.headers ?? {}).map((name) => name.toLowerCase())).not.toContain('upgrade');
    expect(Object.keys(event?.headers ?? {}).map((name) => name.toLowerCase())).not.toContain('connection');
  });

  it('hands over the event of an HTTP API where that is asked for', async () => {
    const events: unknown[] = [];
    const world = await FrontWorld.start({
      invoke: (event) => {
        events.push(event);
        return { statusCode: 200, body: 'ok' };
      },
      options: { kubeletApi: { functionName: 'f', payload: '2.0' }, stageVariables: { node: 'vk-a' } },
    });
    const pair = await world.authority.issue({ subject: 'O=system:masters, CN=kube-apiserver-kubelet-client' });
    await world.get(
      '/exec/ns/web/app?command=a%20b&command=c',
      { method: 'POST', headers: { 'X-Many': ['a', 'b'] }, ...withCertificate(pair) },
      Buffer.from([0, 255]),
    );
    expect(events).toMatchObject([
      {
        version: '2.0',
        routeKey: '$default',
        rawPath: '/exec/ns/web/app',
        rawQueryString: 'command=a%20b&command=c',
        headers: { 'x-many': 'a,b', 'x-forwarded-proto': 'https' },
        queryStringParameters: { command: 'a b,c' },
        stageVariables: { node: 'vk-a' },
        body: 'AP8=',
        isBase64Encoded: true,
        requestContext: {
          domainName: '127.0.0.1',
          stage: '$default',
          http: { method: 'POST', path: '/exec/ns/web/app', sourceIp: '127.0.0.1' },
          authentication: { clientCert: { subjectDN: 'CN=kube-apiserver-kubelet-client,O=system:masters' } },
        },
      },
    ]);
  });

  it('leaves out what is not there', async () => {
    const events: APIGatewayProxyEvent[] = [];
    const world = await FrontWorld.start({ invoke: RECORD(events) });
    await world.get('/healthz');
    expect(events[0]).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      stageVariables: null,
      body: null,
      isBase64Encoded: false,
    });
  });

  it('tells the client certificate as a domain with mutual TLS does', async () => {
    const events: APIGatewayProxyEvent[] = [];
    const world = await FrontWorld.start({ invoke: RECORD(events) });
    const pair = await world.authority.issue({
      subject: 'O=system:masters, CN=kube-apiserver-kubelet-client',
      notBefore: new Date('2026-01-02T03:04:05Z'),
      notAfter: new Date('2099-08-05T09:36:04Z'),
    });
    await world.get('/healthz', withCertificate(pair));
    const clientCert = events[0]?.requestContext.identity.clientCert;
    expect(clientCert).toMatchObject({
      subjectDN: 'CN=kube-apiserver-kubelet-client,O=system:masters',
      issuerDN: 'CN=client-ca',
      validity: { notBefore: 'Jan  2 03:04:05 2026 GMT', notAfter: 'Aug  5 09:36:04 2099 GMT' },
    });
    expect(clientCert?.serialNumber).toMatch(/^([0-9a-f]{2}:)+[0-9a-f]{2}$/);
    expect(new X509Certificate(clientCert?.clientCertPem ?? '').raw).toEqual(new X509Certificate(pair.certificate).raw);
  });

  it.each([
    {
      what: 'of another authority',
      issue: async () => (await TestAuthority.create('CN=client-ca')).issue({ subject: 'CN=x' }),
    },
    {
      what: 'that has expired',
      issue: (authority: TestAuthority) =>
        authority.issue({ subject: 'CN=x', notAfter: new Date(Date.now() - 60_000) }),
    },
  ])('refuses a certificate $what', async ({ issue }) => {
    const events: APIGatewayProxyEvent[] = [];
    const world = await FrontWorld.start({ invoke: RECORD(events) });
    const response = await world.get('/healthz', withCertificate(await issue(world.authority)));
    expect(response).toMatchObject({ status: 403, body: '{"message":"Forbidden"}' });
    expect(events).toEqual([]);
  });

  it('refuses callers without a certificate where one is required', async () => {
    const world = await FrontWorld.start({ options: { requireClientCertificate: true } });
    expect(await world.get('/healthz')).toMatchObject({ status: 403, body: '{"message":"Forbidden"}' });
    const pair = await world.authority.issue({ subject: 'CN=x' });
    expect(await world.get('/healthz', withCertificate(pair))).toMatchObject({ status: 200, body: 'ok' });
  });

  it('invokes the function of the name it was given and sends its whole answer', async () => {
    const world = await FrontWorld.start({
      invoke: (_, functionName) => ({
        statusCode: 501,
        headers: { 'content-type': 'application/json', 'content-length': '1' },
        multiValueHeaders: { 'x-many': ['a', 'b'] },
        body: Buffer.from(JSON.stringify({ kind: 'Status', functionName })).toString('base64'),
        isBase64Encoded: true,
      }),
    });
    const response = await world.get('/exec/ns/web/app', {
      method: 'POST',
      headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'content-length': '0' },
    });
    expect(response).toMatchObject({ status: 501, body: '{"kind":"Status","functionName":"svk-dev-kubelet-api"}' });
    expect(response.headers['content-type']).toBe('application/json');
    expect(response.headers['x-many']).toBe('a, b');
  });

  it.each([
    {
      what: 'throws',
      invoke: () => {
        throw new Error('broken');
      },
      fault: /^svk-dev-kubelet-api: the function failed: HTTP 200 .*broken/,
    },
    { what: 'answers no proxy result', invoke: () => ({ hello: 'world' }), fault: /^svk-dev-kubelet-api: / },
    {
      what: 'answers more than 6 MB',
      invoke: () => ({ statusCode: 200, body: 'x'.repeat(6_291_557) }),
      fault: /^svk-dev-kubelet-api: the answer exceeds 6 MB$/,
    },
  ])('answers 502 for a function that $what', async ({ invoke, fault }) => {
    const world = await FrontWorld.start({ invoke });
    expect(await world.get('/healthz')).toMatchObject({ status: 502, body: '{"message":"Internal server error"}' });
    expect(world.faults).toEqual([expect.stringMatching(fault)]);
  });

  it('answers 504 for a function that is too slow', async () => {
    const world = await FrontWorld.start({
      invoke: () => new Promise(() => undefined),
      options: { limits: { bufferedTimeoutMs: 50 } },
    });
    expect(await world.get('/healthz')).toMatchObject({
      status: 504,
      body: '{"message":"Endpoint request timed out"}',
    });
    expect(world.faults).toEqual(['svk-dev-kubelet-api: no answer within 50 ms']);
  });

  it('answers 413 for a body over its limit', async () => {
    const world = await FrontWorld.start({ options: { limits: { maxRequestBytes: 1_000 } } });
    expect(await world.get('/run/a/b/c', { method: 'POST' }, Buffer.alloc(1_001))).toMatchObject({
      status: 413,
      body: '{"message":"Request Too Long"}',
    });
  });
});
