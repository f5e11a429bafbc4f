import { request } from 'node:http';
import { ECSClient, ListTasksCommand, RunTaskCommand } from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { inProcessHandler } from '../../../infra/local/aws/request-handler.ts';
import { refusal, runRequest, startWorld } from './harness.ts';

const post = async (
  url: string,
  options: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string },
): Promise<{ readonly status: number | undefined; readonly body: string }> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: options.method ?? 'POST', headers: options.headers ?? {} }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    sent.on('error', reject);
    sent.end(options.body ?? '');
  });

const signed = { authorization: 'AWS4-HMAC-SHA256 Credential=local/20300101/eu-central-1/ecs/aws4_request' };

describe('the HTTP front', () => {
  it('refuses unsigned requests, foreign hosts and web pages', async () => {
    const { aws } = await startWorld();
    const target = { 'x-amz-target': 'AmazonEC2ContainerServiceV20141113.ListClusters' };
    const unsigned = await post(aws.url, { headers: target });
    const foreign = await post(aws.url, { headers: { ...target, ...signed, host: 'evil.example' } });
    const page = await post(aws.url, { headers: { ...target, ...signed, origin: 'http://evil.example' } });
    const good = await post(aws.url, { headers: { ...target, ...signed } });
    expect([unsigned.status, foreign.status, page.status, good.status]).toEqual([400, 403, 403, 200]);
    expect(unsigned.body).toContain('MissingAuthenticationTokenException');
  });

  it('demands its own access key where it has one', async () => {
    const { aws, ecs } = await startWorld({ accessKeyId: 'local' });
    const stranger = new ECSClient({
      endpoint: aws.url,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'other', secretAccessKey: 'x' },
    });
    expect(await refusal(stranger.send(new ListTasksCommand({ cluster: 'pods' })))).toBe(
      'UnrecognizedClientException: The security token included in the request is invalid.',
    );
    expect(await ecs.send(new ListTasksCommand({ cluster: 'pods' }))).toMatchObject({ taskArns: [] });
    expect((await post(`${aws.url}/_local/faults`, { body: '{"kind":"capacity"}' })).status).toBe(401);
  });

  it('says what it does not know', async () => {
    const { aws } = await startWorld();
    const answer = await post(aws.url, {
      headers: { ...signed, 'x-amz-target': 'AmazonEC2ContainerServiceV20141113.CreateService' },
      body: '{}',
    });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      400,
      {
        __type: 'UnknownOperationException',
        message: 'The local cloud does not know the action CreateService.',
      },
    ]);
  });

  it('names the member of a wrong type', async () => {
    const { aws } = await startWorld();
    const answer = await post(aws.url, {
      headers: { ...signed, 'x-amz-target': 'AmazonEC2ContainerServiceV20141113.RunTask' },
      body: '{"count":"many"}',
    });
    expect(answer.body).toContain('SerializationException');
    expect(answer.body).toContain('count');
  });

  it('takes, lists and clears faults over HTTP', async () => {
    const { aws, ecs, register } = await startWorld();
    await register();
    const url = `${aws.url}/_local/faults`;
    const added = await post(url, { body: '{"kind":"capacity","count":1}' });
    const wrong = await post(url, { body: '{"kind":"earthquake"}' });
    const impossible = await post(url, { body: '{"kind":"retirement","taskArn":"arn:nobody"}' });
    expect([added.status, wrong.status, impossible.status]).toEqual([200, 400, 409]);
    expect(JSON.parse(added.body)).toEqual({ faults: [{ kind: 'capacity', count: 1 }] });
    expect((await ecs.send(new RunTaskCommand(runRequest()))).failures).toHaveLength(1);
    await post(url, { body: '{"kind":"outage"}' });
    await post(url, { method: 'DELETE' });
    expect(JSON.parse((await post(url, { method: 'GET' })).body)).toEqual({ faults: [] });
  });
});

describe('the in-process handler', () => {
  it('serves an unmodified client without a socket', async () => {
    const { aws, register } = await startWorld();
    await register();
    const ecs = new ECSClient({
      region: 'eu-central-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      requestHandler: inProcessHandler(aws),
      maxAttempts: 1,
    });
    const { tasks } = await ecs.send(new RunTaskCommand(runRequest()));
    expect(tasks?.[0]?.createdAt).toEqual(new Date('2030-01-01T00:00:00Z'));
    expect(await refusal(ecs.send(new ListTasksCommand({ cluster: 'nobody' })))).toBe(
      'ClusterNotFoundException: Cluster not found.',
    );
  });

  it('hangs until the caller aborts, and breaks a connection', async () => {
    const { aws, register } = await startWorld();
    await register();
    const ecs = new ECSClient({
      region: 'eu-central-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      requestHandler: inProcessHandler(aws),
      maxAttempts: 1,
    });
    aws.faults.inject({ kind: 'run-task-unanswered', when: 'after', count: 1 });
    const patience = new AbortController();
    const hanging = refusal(ecs.send(new RunTaskCommand(runRequest()), { abortSignal: patience.signal }));
    while (aws.ecs.tasks.length === 0) await new Promise((resolve) => setImmediate(resolve));
    patience.abort();
    expect(await hanging).toBe('AbortError: Request aborted');
    aws.faults.inject({ kind: 'outage', manner: 'reset', count: 1 });
    expect(await refusal(ecs.send(new ListTasksCommand({ cluster: 'pods' })))).toBe('Error: socket hang up');
  });
});
