import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeployedFunctions } from '../../../../src/adapters/lambda/deployed-functions.ts';
import { PermanentError } from '../../../../src/core/errors.ts';

const { signal } = new AbortController();
const NOW = Date.parse('2030-01-01T00:00:00Z');
let server: Server;
let functions: DeployedFunctions;
/** By path, what Lambda answers: its REST API as the SDK's model has it. */
let answers: Readonly<Record<string, { readonly status?: number; readonly body: object }>>;

beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  server = createServer((request, response) => {
    const { status = 200, body } = answers[request.url ?? ''] ?? { status: 404, body: { Type: 'User' } };
    const error = 'name' in body ? { 'x-amzn-errortype': String(body.name) } : {};
    response.writeHead(status, { date: 'Tue, 01 Jan 2030 00:00:42 GMT', ...error }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  functions = new DeployedFunctions({ region: 'eu-west-1', endpoint, now: () => NOW });
});
afterEach(() => {
  vi.unstubAllEnvs();
  functions.close();
  server.closeAllConnections();
  server.close();
});

describe('deployed functions', () => {
  it('tell the executions of the account, those of the heartbeat and those of the workers', async () => {
    answers = {
      '/2016-08-19/account-settings': {
        body: { AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 990 } },
      },
      '/2019-09-30/functions/heartbeat/concurrency': { body: { ReservedConcurrentExecutions: 10 } },
      '/2015-03-31/event-source-mappings?FunctionName=worker': {
        body: { EventSourceMappings: [{ ScalingConfig: { MaximumConcurrency: 8 } }] },
      },
    };
    expect(await functions.concurrency({ heartbeat: 'heartbeat', worker: 'worker' }, signal)).toEqual({
      limit: 1000,
      unreserved: 990,
      heartbeatReserved: 10,
      workers: 8,
    });
  });

  it('tell how far the clock of AWS is ahead', async () => {
    expect(functions.aheadMs()).toBeUndefined();
    answers = { '/2015-03-31/functions/a/configuration': { body: { Environment: { Variables: { A: '1' } } } } };
    expect(await functions.environment('a', signal)).toEqual({ A: '1' });
    expect(functions.aheadMs()).toBe(42_000);
  });

  it('are told apart from those that are not there, and from those one may not read', async () => {
    const path = '/2015-03-31/functions/a/configuration';
    answers = { [path]: { status: 404, body: { name: 'ResourceNotFoundException', Message: 'no' } } };
    expect(await functions.environment('a', signal)).toBeUndefined();
    answers = { [path]: { status: 403, body: { name: 'AccessDeniedException', Message: 'not allowed' } } };
    await expect(functions.environment('a', signal)).rejects.toThrow(PermanentError);
  });
});
