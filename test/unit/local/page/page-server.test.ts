import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noDelays } from '../../../../infra/local/aws/delays.ts';
import { createAwsServices } from '../../../../infra/local/aws/services.ts';
import type { ReadingClient } from '../../../../infra/local/page/cluster-watch.ts';
import { startPage } from '../../../../infra/local/page/page-server.ts';
import { SimulatedRuntime } from '../../../../infra/local/runtimes/simulated/simulated-runtime.ts';
import { TransientError } from '../../../../src/core/errors.ts';
import { awslogs, definition, executionRoleArn, runRequest, scripted } from '../../../contract/ecs-emulator/harness.ts';
import { FakeClock } from '../../../fakes/clock.ts';

/** A cluster with one node, which can be made to fail. */
class FakeCluster implements ReadingClient {
  ready = 'True';
  down = false;
  lists = 0;

  async list<T>(path: string): Promise<{ readonly items: readonly T[]; readonly resourceVersion: string }> {
    this.lists += 1;
    if (this.down) throw new TransientError('the API server is unavailable');
    const nodes = [{ metadata: { name: 'fargate' }, status: { conditions: [{ type: 'Ready', status: this.ready }] } }];
    return { items: (path.endsWith('/nodes') ? nodes : []) as T[], resourceVersion: '1' };
  }
}

const start = async () => {
  const clock = new FakeClock();
  const aws = createAwsServices({
    region: 'eu-central-1',
    runtime: new SimulatedRuntime(clock),
    clock,
    delays: noDelays,
    throttles: 'off',
  });
  const client = new FakeCluster();
  const page = await startPage({ port: 0, aws, client, runtime: 'simulated', nodeNames: ['fargate'], everyMs: 10 });
  onTestFinished(async () => {
    await page.close();
    await aws.close();
  });
  return { ...page, aws, client, clock };
};

/** Parts of a stream as they come, each parsed. */
const follow = async (url: string): Promise<{ readonly next: () => Promise<unknown>; readonly leave: () => void }> => {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const response = await fetch(url, { signal: gone.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (): Promise<unknown> => {
    for (;;) {
      const [, data, rest] = /^(?:(?!data: ).*\n+)*data: (.*)\n\n([^]*)$/.exec(text) ?? [];
      if (data !== undefined) {
        text = rest ?? '';
        return JSON.parse(data);
      }
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error('the stream has ended');
      text += value ?? '';
    }
  };
  return { next, leave: () => gone.abort() };
};

const statusOf = (url: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });

describe('the page', () => {
  it('is one document with its own style and script, and may load nothing else', async () => {
    const { url } = await start();
    for (const [path, type] of [
      ['', 'text/html; charset=utf-8'],
      ['page.css', 'text/css; charset=utf-8'],
      ['page.mjs', 'text/javascript; charset=utf-8'],
    ]) {
      const response = await fetch(`${url}${path}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await response.text()).not.toMatch(/https?:\/\//);
    }
  });

  it.each([
    { want: 'a foreign Host', headers: { host: 'evil.example' }, status: 403 },
    { want: 'a Host that only begins well', headers: { host: '127.0.0.1.evil.example' }, status: 403 },
    { want: 'a foreign Origin', headers: { origin: 'http://evil.example' }, status: 403 },
    { want: 'a null Origin', headers: { origin: 'null' }, status: 403 },
  ])('refuses $want', async ({ headers, status }) => {
    const { url } = await start();
    expect(await statusOf(url, headers)).toBe(status);
  });

  it.each(['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'])('cannot be written to: %s', async (method) => {
    const { url } = await start();
    expect(await statusOf(url, {}, method)).toBe(405);
  });

  it('is found by those alone who know its key', async () => {
    const { url } = await start();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
    const { origin } = new URL(url);
    for (const path of ['/', '/state', `/${'0'.repeat(32)}/`, '/page.mjs', new URL(url).pathname.slice(0, -1)]) {
      expect(await statusOf(`${origin}${path}`, {}), path).toBe(404);
    }
    expect(await statusOf(`${url}other`, {})).toBe(404);
    expect(await statusOf(`${url}log?task=none&container=app`, {})).toBe(404);
  });

  it('tells of changes as they come, and of nothing else', async () => {
    const { url, client } = await start();
    const { next } = await follow(`${url}state`);
    expect(await next()).toMatchObject({ runtime: 'simulated', nodes: [{ name: 'fargate', ready: 'True' }] });
    client.ready = 'False';
    expect(await next()).toMatchObject({ nodes: [{ ready: 'False' }] });
    client.down = true;
    expect(await next()).toMatchObject({ nodes: [{ ready: 'False' }], problem: 'the API server is unavailable' });
    client.down = false;
    expect(await next()).not.toHaveProperty('problem');
  });

  it('asks the cluster for nothing while nobody looks', async () => {
    const { url, client } = await start();
    expect(client.lists).toBe(0);
    const { next, leave } = await follow(`${url}state`);
    await next();
    leave();
    await expect
      .poll(async () => {
        const before = client.lists;
        await new Promise((resolve) => setTimeout(resolve, 50));
        return client.lists - before;
      })
      .toBe(0);
  });

  it('follows the log of a container from its last lines on', async () => {
    const { url, aws, clock } = await start();
    await aws.ecs.handle('CreateCluster', { clusterName: 'pods' });
    await aws.logs.handle('CreateLogGroup', { logGroupName: 'pods' });
    const containers = [scripted('app', 'log one; run 1s; log two; run 60m', { logConfiguration: awslogs })];
    await aws.ecs.handle('RegisterTaskDefinition', definition({ executionRoleArn, containerDefinitions: containers }));
    await aws.ecs.handle('RunTask', runRequest());
    await clock.advance(500);
    const { next } = await follow(`${url}log?task=${aws.ecs.tasks[0]?.id}&container=app`);
    expect(await next()).toEqual([{ at: 1_893_456_000_000, text: 'one' }]);
    await clock.advance(1000);
    expect(await next()).toEqual([{ at: 1_893_456_001_000, text: 'two' }]);
  });
});
