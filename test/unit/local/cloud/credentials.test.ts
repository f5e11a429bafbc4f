import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isSignedWith, newCredentials, writeAwsFile } from '../../../../infra/local/cloud/credentials.ts';
import { startDatabase } from '../../../../infra/local/cloud/database.ts';
import { startQueues } from '../../../../infra/local/cloud/queues.ts';

describe('the key of the local cloud', () => {
  it('is unlike any other', () => {
    const [one, other] = [newCredentials().accessKeyId, newCredentials().accessKeyId];
    expect(one).toMatch(/^LOCAL[0-9A-F]{32}$/);
    expect(one).not.toBe(other);
  });

  it('is written for its owner alone, also over a file that others could read', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'svk-keys-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, 'aws.json');
    await writeFile(path, '{}', { mode: 0o644 });
    const content = { url: 'http://127.0.0.1:1', region: 'eu-west-1', accessKeyId: 'K', secretAccessKey: 'local' };
    writeAwsFile(directory, content);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(content);
  });

  it.each([
    {
      what: 'a signed header',
      authorization: 'AWS4-HMAC-SHA256 Credential=K1/20300101/x/sqs/aws4_request',
      url: '/',
      want: true,
    },
    { what: 'a presigned path', authorization: '', url: '/b/k?a=1&X-Amz-Credential=K1%2F20300101%2Fx', want: true },
    { what: 'another key', authorization: 'AWS4-HMAC-SHA256 Credential=K12/20300101/x', url: '/', want: false },
    { what: 'nothing', authorization: '', url: '/', want: false },
  ])('is looked for in $what', ({ authorization, url, want }) => {
    expect(isSignedWith('K1', { headers: { authorization }, url })).toBe(want);
  });

  it.each([
    { what: 'the database', target: 'DynamoDB_20120810.ListTables', start: () => startDatabase(0, 'K1') },
    { what: 'the queues', target: 'AmazonSQS.ListQueues', start: () => startQueues(0, 'eu-west-1', 'K1') },
  ])('is demanded by $what', async ({ target, start }) => {
    const server = await start();
    onTestFinished(() => server.close());
    const ask = async (key: string): Promise<number> => {
      const response = await fetch(server.url, {
        method: 'POST',
        body: '{}',
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': target,
          'x-amz-date': '20300101T000000Z',
          authorization: `AWS4-HMAC-SHA256 Credential=${key}/20300101/eu-west-1/x/aws4_request, SignedHeaders=host, Signature=0`,
          connection: 'close',
        },
      });
      await response.text();
      return response.status;
    };
    expect(await ask('K1')).toBe(200);
    expect(await ask('local')).toBeGreaterThanOrEqual(400);
  });
});
