import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubernetesClient, type PatchType } from '../../../../src/adapters/kubernetes/kubernetes-client.ts';
import { dispositionOf } from '../../../../src/core/errors.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { ApiServer, json, status } from './api-server.ts';

const { signal } = new AbortController();
let server: ApiServer;
let client: KubernetesClient;

beforeEach(async () => {
  server = await ApiServer.plain();
  client = new KubernetesClient(
    { ...server.credentials, token: 't0ken' },
    { clock: new FakeClock(), userAgent: 'svk/0.1.0' },
  );
});

afterEach(async () => {
  client.close();
  await server.close();
});

describe('what is sent', () => {
  it('says who we are and what we read', async () => {
    await client.get('/api/v1/namespaces/d/pods/p', { signal, query: { fieldSelector: 'spec.nodeName=a b' } });
    expect(server.received[0]).toMatchObject({
      method: 'GET',
      url: '/api/v1/namespaces/d/pods/p?fieldSelector=spec.nodeName%3Da+b',
      headers: { accept: 'application/json', authorization: 'Bearer t0ken', 'user-agent': 'svk/0.1.0' },
    });
  });

  it('keeps the path the server sits behind', async () => {
    const behind = { ...server.credentials, server: `${server.credentials.server}/k8s/clusters/c-1/` };
    const prefixed = new KubernetesClient(behind, { clock: new FakeClock() });
    await prefixed.get('/version', { signal });
    prefixed.close();
    expect(server.received[0]?.url).toBe('/k8s/clusters/c-1/version');
  });

  it.each<[PatchType, string]>([
    ['json', 'application/json-patch+json'],
    ['merge', 'application/merge-patch+json'],
    ['strategic', 'application/strategic-merge-patch+json'],
    ['apply', 'application/apply-patch+yaml'],
  ])('S-23 names a %s patch by its content type', async (type, contentType) => {
    await client.patch('/x/status', type, { status: { phase: 'Running' } }, { signal });
    expect(server.received[0]).toMatchObject({
      method: 'PATCH',
      url: '/x/status',
      headers: { 'content-type': contentType },
      body: '{"status":{"phase":"Running"}}',
    });
  });

  it('deletes with grace and preconditions', async () => {
    const preconditions = { uid: '11111111-1111-4111-a111-111111111111' };
    await client.delete('/x', { signal, gracePeriodSeconds: 0, preconditions });
    expect(server.received[0]?.method).toBe('DELETE');
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      preconditions: { uid: '11111111-1111-4111-a111-111111111111' },
    });
  });
});

describe('lists', () => {
  it('reads every page', async () => {
    server.answer = ({ url }, response) =>
      url.includes('continue=next')
        ? json(response, 200, { metadata: { resourceVersion: '9' }, items: [{ metadata: { name: 'b' } }] })
        : json(response, 200, {
            metadata: { resourceVersion: '9', continue: 'next' },
            items: [{ metadata: { name: 'a' } }],
          });
    const list = await client.list('/api/v1/pods', { signal, query: { fieldSelector: 'x=y' } });
    expect(list).toEqual({
      resourceVersion: '9',
      items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
    });
    expect(server.received.map(({ url }) => url)).toEqual([
      '/api/v1/pods?fieldSelector=x%3Dy&limit=500',
      '/api/v1/pods?fieldSelector=x%3Dy&limit=500&continue=next',
    ]);
  });

  it('starts over where the server has forgotten the version of the pages', async () => {
    server.answer = ({ url }, response) => {
      if (url.includes('continue=old')) json(response, 410, status(410, 'Expired', 'too old'));
      else {
        const first = server.received.length === 1;
        json(response, 200, { metadata: { resourceVersion: '9', ...(first && { continue: 'old' }) }, items: [{}] });
      }
    };
    expect((await client.list('/x', { signal })).items).toHaveLength(1);
  });

  it('asks for metadata only', async () => {
    server.answer = (_, response) => json(response, 200, { metadata: { resourceVersion: '1' }, items: null });
    expect(await client.list('/x', { signal, metadataOnly: true })).toEqual({ items: [], resourceVersion: '1' });
    expect(server.received[0]?.headers.accept).toBe(
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    );
  });
});

describe('refusals', () => {
  it.each([
    { code: 400, reason: 'BadRequest', disposition: 'invalid' },
    { code: 401, reason: 'Unauthorized', disposition: 'permanent' },
    { code: 403, reason: 'Forbidden', disposition: 'permanent' },
    { code: 404, reason: 'NotFound', disposition: 'not-found' },
    { code: 405, reason: 'MethodNotAllowed', disposition: 'permanent' },
    { code: 409, reason: 'Conflict', disposition: 'conflict' },
    { code: 410, reason: 'Expired', disposition: 'conflict' },
    { code: 415, reason: 'UnsupportedMediaType', disposition: 'permanent' },
    { code: 422, reason: 'Invalid', disposition: 'invalid' },
    { code: 429, reason: 'TooManyRequests', disposition: 'throttled' },
    { code: 500, reason: 'InternalError', disposition: 'transient' },
    { code: 503, reason: 'ServiceUnavailable', disposition: 'transient' },
    { code: 504, reason: 'Timeout', disposition: 'transient' },
  ])('$code $reason is $disposition', async ({ code, reason, disposition }) => {
    server.answer = (_, response) => json(response, code, status(code, reason, 'pods "p" is so'));
    const error: unknown = await client.get('/x', { signal }).catch((thrown: unknown) => thrown);
    expect(dispositionOf(error)).toBe(disposition);
    expect(String(error)).toContain('GET /x: pods "p" is so');
  });

  it('takes a 403 of the Node authorizer that has not heard of the pod yet as transient', async () => {
    const message =
      'secrets "keys" is forbidden: User "system:node:a" cannot get resource: no relationship found between node \'a\' and this object';
    server.answer = (_, response) => json(response, 403, status(403, 'Forbidden', message));
    const error: unknown = await client.get('/x', { signal }).catch((thrown: unknown) => thrown);
    expect(dispositionOf(error)).toBe('transient');
  });

  it('takes a UID that is refused as a conflict: another object has the name', async () => {
    const details = { causes: [{ reason: 'FieldValueInvalid', field: 'metadata.uid' }] };
    server.answer = (_, response) => json(response, 422, status(422, 'Invalid', 'field is immutable', details));
    const error: unknown = await client.get('/x', { signal }).catch((thrown: unknown) => thrown);
    expect(dispositionOf(error)).toBe('conflict');
  });

  it('does not believe a 404 that no API server sent', async () => {
    server.answer = (_, response) => response.writeHead(404).end('404 page not found');
    const error: unknown = await client.get('/x', { signal }).catch((thrown: unknown) => thrown);
    expect(dispositionOf(error)).toBe('transient');
    expect(String(error)).toContain('not from an API server');
  });

  it.each([
    ['the header', { 'Retry-After': '7' }, {}, 7_000],
    ['the Status', {}, { retryAfterSeconds: 3 }, 3_000],
    ['nobody', {}, {}, undefined],
  ])('waits as long as %s says', async (_, headers, details, expected) => {
    server.answer = (_request, response) =>
      json(response, 429, status(429, 'TooManyRequests', 'slow down', details), headers);
    await expect(client.get('/x', { signal })).rejects.toMatchObject({ retryAfterMs: expected });
  });

  it.each([
    ['an answer that is no JSON', 200, '{"data":{"password":"aHVudGVyMg"'],
    ['a refusal that is no Status', 500, '{"data":{"password":"aHVudGVyMg"}}'],
    ['a text', 502, 'password aHVudGVyMg'],
  ])('never quotes %s', async (_, code, body) => {
    server.answer = (_request, response) => void response.writeHead(code).end(body);
    const error: unknown = await client.get('/x', { signal }).catch((thrown: unknown) => thrown);
    expect(dispositionOf(error)).toBe('transient');
    expect(`${String(error)} ${String((error as Error).cause)} ${(error as Error).stack}`).not.toContain('aHVudGVyMg');
  });
});

describe('streams', () => {
  it('hands over the bytes as they come', async () => {
    server.answer = (_, response) => void response.writeHead(200).end('line\n');
    expect(await text(await client.stream('/log', { signal }))).toBe('line\n');
    expect(server.received[0]?.headers.accept).toBe('*/*');
  });

  it('reads a refusal', async () => {
    server.answer = (_, response) => json(response, 404, status(404, 'NotFound', 'no'));
    await expect(client.stream('/log', { signal })).rejects.toThrow('GET /log: no');
  });

  it('is not cut by the deadline of the head, but by its caller', async () => {
    const clock = new FakeClock();
    const slow = new KubernetesClient(server.credentials, { clock, deadlineMs: 1_000 });
    const caller = new AbortController();
    server.answer = (_, response) => void response.writeHead(200).write('a');
    const stream = await slow.stream('/log', { signal: caller.signal });
    await clock.advance(60_000);
    expect(stream.destroyed).toBe(false);
    caller.abort();
    await expect(text(stream)).rejects.toThrow(/aborted/);
    slow.close();
  });
});
