import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../src/core/errors.ts';
import { admissionHandler } from '../../../src/lambda/admission-handler.ts';
import { FakeWorkQueue } from '../../fakes/queue/fake-work-queue.ts';
import { context, httpApiEvent, optionsForTest } from './samples.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const BEFORE = 'fedcba9876543210fedcba9876543210';

const pods = { group: '', version: 'v1', resource: 'pods' };

/** As a real API server sends them, shortened. */
const bind = {
  uid: 'review-1',
  operation: 'CREATE',
  resource: pods,
  subResource: 'binding',
  namespace: 'default',
  name: 'web',
  dryRun: false,
  object: {
    kind: 'Binding',
    apiVersion: 'v1',
    metadata: { name: 'web', namespace: 'default', uid: 'pod-1', creationTimestamp: null },
    target: { kind: 'Node', name: 'fargate' },
  },
  oldObject: null,
};

const pod = {
  metadata: { name: 'web', namespace: 'default', uid: 'pod-1' },
  spec: { nodeName: 'fargate', containers: [] },
};
const create = {
  uid: 'review-2',
  operation: 'CREATE',
  resource: pods,
  namespace: 'default',
  object: pod,
  oldObject: null,
};
const remove = {
  uid: 'review-3',
  operation: 'DELETE',
  resource: pods,
  namespace: 'default',
  name: 'web',
  object: null,
  oldObject: pod,
};

const reviewOf = (request: unknown): string =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });

const worldWith = (secrets: () => Promise<readonly string[]> = async () => [SECRET, BEFORE]) => {
  const options = optionsForTest();
  const queue = new FakeWorkQueue(options.clock);
  const handler = admissionHandler({ ...options, nodes: ['fargate', 'spot'], queue, secrets });
  const post = (body: string, path = `/admission/${SECRET}`, method = 'POST') =>
    handler(httpApiEvent(method, path, { body, rawQueryString: 'timeout=2s' }), context);
  return { ...options, queue, post };
};

describe('the admission webhook', () => {
  it.each([
    ['a bind', bind, 'bind'],
    ['a pod created on a node of ours', create, 'create'],
    ['a delete', remove, 'delete'],
  ])('wakes the pod of %s, without delay', async (_what, request, reason) => {
    const { queue, post } = worldWith();
    expect(await post(reviewOf(request))).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      body: `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"${request.uid}","allowed":true}}`,
    });
    expect(queue.sent).toEqual([
      { message: { v: 1, kind: 'wake', reason, uid: 'pod-1', namespace: 'default', name: 'web', node: 'fargate' } },
    ]);
  });

  it.each([
    ['a dry run', { ...bind, dryRun: true }],
    ['a bind to another node', { ...bind, object: { ...bind.object, target: { name: 'node-7' } } }],
    ['a pod created for the scheduler', { ...create, object: { ...pod, spec: {} } }],
    ['a pod created on another node', { ...create, object: { ...pod, spec: { nodeName: 'node-7' } } }],
    ['a pod of another node that is deleted', { ...remove, oldObject: { ...pod, spec: { nodeName: 'node-7' } } }],
    ['an update', { ...create, operation: 'UPDATE' }],
    ['another sub-resource', { ...create, subResource: 'eviction' }],
    ['another kind', { ...remove, resource: { group: 'apps', version: 'v1', resource: 'pods' } }],
    [
      'a bind without the uid',
      { ...bind, object: { ...bind.object, metadata: { name: 'web', namespace: 'default' } } },
    ],
  ])('allows %s and wakes nobody', async (_what, request) => {
    const { queue, post } = worldWith();
    expect(JSON.parse((await post(reviewOf(request))).body)).toMatchObject({ response: { allowed: true } });
    expect(queue.sent).toEqual([]);
  });

  it('knows the secret before, while it is rotated', async () => {
    expect((await worldWith().post(reviewOf(bind), `/admission/${BEFORE}`)).statusCode).toBe(200);
  });

  it.each([
    ['a wrong secret', `/admission/${SECRET.replace('0', '1')}`, 'POST'],
    ['a part of the secret', `/admission/${SECRET.slice(0, 31)}`, 'POST'],
    ['no secret', '/admission/', 'POST'],
    ['more than the secret', `/admission/${SECRET}/x`, 'POST'],
    ['another path', '/', 'POST'],
    ['another method', `/admission/${SECRET}`, 'GET'],
  ])('is not there for %s', async (_what, path, method) => {
    const { queue, post } = worldWith();
    expect(await post(reviewOf(bind), path, method)).toMatchObject({ statusCode: 404, body: '{}' });
    expect(queue.sent).toEqual([]);
  });

  it('says 400 to what is no review of v1', async () => {
    const { post, queue } = worldWith();
    expect((await post('{')).statusCode).toBe(400);
    expect((await post(reviewOf(bind).replace('/v1', '/v1beta1'))).statusCode).toBe(400);
    expect(queue.sent).toEqual([]);
  });

  it('allows though the queue is down: resync finds the pod', async () => {
    const { queue, post, logger } = worldWith();
    queue.before = () => {
      throw new TransientError('SQS is down');
    };
    expect((await post(reviewOf(bind))).statusCode).toBe(200);
    expect(logger.lines.map(({ message }) => message)).toEqual(['pod not woken, resync will find it']);
  });

  it('allows within its deadline though the queue hangs', async () => {
    const { queue, post, clock } = worldWith();
    queue.before = () => new Promise(() => undefined);
    const answer = post(reviewOf(bind));
    await clock.advance(1_500);
    expect((await answer).statusCode).toBe(200);
  });

  it('says 503 where its secret cannot be read: nothing is believed then', async () => {
    const { queue, post } = worldWith(() => Promise.reject(new TransientError('SSM is down')));
    expect((await post(reviewOf(bind))).statusCode).toBe(503);
    expect(queue.sent).toEqual([]);
  });
});
