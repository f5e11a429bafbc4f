import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPod } from './api-world.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { aNode, type FakeKubelet, startKubelet } from './fake-kubelet.ts';

const PODS = '/api/v1/namespaces/default/pods';
let embedded: Embedded;
let kubelet: FakeKubelet;
let finish: () => void = () => undefined;

beforeAll(async () => {
  embedded = await startEmbedded();
  kubelet = await startKubelet(embedded.kubernetes.kubeletClient.ca, (request, response) => {
    const code = Number(/limitBytes=(\d+)/.exec(request.url ?? '')?.[1] ?? 200);
    if (code >= 400) {
      response.writeHead(code).end(`the kubelet says ${code}\n`);
    } else if (request.url?.includes('follow=true')) {
      response.write('first\n');
      finish = () => response.end('last\n');
    } else {
      response.writeHead(200, { 'content-type': 'text/plain', 'x-kubelet': 'yes' }).end('line\n');
    }
  });
  const { api } = embedded;
  await api.post('/api/v1/nodes', aNode('n', kubelet.port));
  await api.post(PODS, aPod('web', { nodeName: 'n' }));
  await api.post(
    PODS,
    aPod('two', {
      nodeName: 'n',
      containers: [
        { name: 'a', image: 'x' },
        { name: 'b', image: 'x' },
      ],
    }),
  );
  await api.post(PODS, aPod('free'));
});
afterAll(async () => {
  await embedded.stop();
  await kubelet.close();
});

describe('pods/log', () => {
  it('comes from the node’s kubelet, asked with our client certificate', async () => {
    const answer = await embedded.api.get(
      `${PODS}/web/log?tailLines=0&timestamps=true&previous=true&sinceTime=2030-01-01T00:00:00Z`,
    );
    expect(answer.code).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain');
    expect(answer.text).toBe('line\n');
    expect(kubelet.requests.at(-1)).toBe(
      'GET /containerLogs/default/web/app?previous=true&sinceTime=2030-01-01T00%3A00%3A00Z&tailLines=0&timestamps=true by kube-apiserver-kubelet-client',
    );
  });

  it('is passed on as it comes', async () => {
    const response = await embedded.api.open(`${PODS}/web/log?follow=true`);
    const chunks = response.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
    expect(await chunks.next()).toEqual({ done: false, value: 'first\n' });
    finish();
    expect(await chunks.next()).toEqual({ done: false, value: 'last\n' });
    expect(await chunks.next()).toMatchObject({ done: true });
  });

  it.each([
    { code: 400, reason: 'BadRequest', message: 'the kubelet says 400\n' },
    { code: 403, reason: 'Forbidden', message: 'the kubelet says 403\n ( pods/log web)' },
    { code: 404, reason: 'NotFound', message: 'the server could not find the requested resource ( pods/log web)' },
    { code: 500, reason: 'InternalError', message: 'Internal error occurred: the kubelet says 500\n' },
    {
      code: 501,
      reason: 'InternalError',
      message:
        'an error on the server ("the kubelet says 501\\n") has prevented the request from succeeding ( pods/log web)',
    },
    {
      code: 503,
      reason: 'ServiceUnavailable',
      message: 'the server is currently unable to handle the request ( pods/log web)',
    },
  ])('says what the real server says where the kubelet answers $code', async ({ code, reason, message }) => {
    const answer = await embedded.api.get(`${PODS}/web/log?limitBytes=${code}`);
    expect(answer.body).toMatchObject({ kind: 'Status', code, reason, message });
  });

  it.each([
    { path: 'two/log', code: 400, message: 'a container name must be specified for pod two, choose one of: [a b]' },
    { path: 'web/log?container=x', code: 400, message: 'container x is not valid for pod web' },
    {
      path: 'web/log?tailLines=-1',
      code: 422,
      message: 'PodLogOptions "web" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    },
    { path: 'web/log?tailLines=abc', code: 400, message: 'strconv.ParseInt: parsing "abc": invalid syntax' },
    { path: 'none/log', code: 404, message: 'pods "none" not found' },
  ])('is refused: $path', async ({ path, code, message }) => {
    expect((await embedded.api.get(`${PODS}/${path}`)).body).toMatchObject({ code, message });
  });

  it('is empty without a node, and says where nobody listens', async () => {
    const { api } = embedded;
    expect((await api.get(`${PODS}/free/log`)).code).toBe(204);
    await api.post('/api/v1/nodes', aNode('dead', 1));
    await api.post(PODS, aPod('lost', { nodeName: 'dead' }));
    expect((await api.get(`${PODS}/lost/log`)).body).toMatchObject({
      code: 500,
      message:
        'Get "https://127.0.0.1:1/containerLogs/default/lost/app": dial tcp 127.0.0.1:1: connect: connection refused',
    });
  });
});

describe('nodes/proxy', () => {
  it('passes requests and answers through, without the caller’s credentials', async () => {
    const answer = await embedded.api.get('/api/v1/nodes/n/proxy/stats/summary?only_cpu_and_memory=true');
    expect(answer.text).toBe('line\n');
    expect(answer.headers['x-kubelet']).toBe('yes');
    expect(kubelet.requests.at(-1)).toBe(
      'GET /stats/summary?only_cpu_and_memory=true by kube-apiserver-kubelet-client',
    );
  });

  it('knows no node that is not there', async () => {
    expect((await embedded.api.get('/api/v1/nodes/none/proxy/pods')).body).toMatchObject({
      code: 404,
      message: 'nodes "none" not found',
    });
  });
});
