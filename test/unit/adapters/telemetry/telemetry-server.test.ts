import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startTelemetryServer } from '../../../../src/adapters/telemetry/telemetry-server.ts';
import type { TelemetryServer } from '../../../../src/ports/metrics.ts';

const ADDRESS = { host: '127.0.0.1', port: 0 };
let server: TelemetryServer | undefined;
let isReady = false;

const start = async (expose = async () => ({ contentType: 'text/x', text: 'a 1\n' })): Promise<string> => {
  server = await startTelemetryServer(ADDRESS, { isReady: () => isReady, expose });
  return `http://127.0.0.1:${server.port}`;
};

afterEach(async () => {
  await server?.close();
  server = undefined;
  isReady = false;
});

describe('the server of --metrics-addr', () => {
  it('answers /metrics with the figures', async () => {
    const answer = await fetch(`${await start()}/metrics?x=1`);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([200, 'text/x', 'a 1\n']);
  });

  it('is healthy as long as it answers, and ready when the node is', async () => {
    const url = await start();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    isReady = true;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it.each([
    { method: 'GET', path: '/', status: 404 },
    { method: 'HEAD', path: '/metrics', status: 200 },
    { method: 'POST', path: '/metrics', status: 405 },
    { method: 'DELETE', path: '/healthz', status: 405 },
  ])('answers $method $path with $status', async ({ method, path, status }) => {
    expect((await fetch(`${await start()}${path}`, { method })).status).toBe(status);
  });

  it('answers 500 where the figures cannot be read, and lives', async () => {
    const url = await start(() => Promise.reject(new Error('no')));
    expect((await fetch(`${url}/metrics`)).status).toBe(500);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('does not start on a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const options = { isReady: () => true, expose: async () => ({ contentType: '', text: '' }) };
    await expect(startTelemetryServer({ host: '127.0.0.1', port }, options)).rejects.toThrow('EADDRINUSE');
    other.close();
  });
});
