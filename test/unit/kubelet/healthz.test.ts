import { describe, expect, it } from 'vitest';
import { bodyOf, KubeletWorld } from './kubelet-world.ts';

const SICK = {
  name: 'provider',
  check: async () => {
    throw new Error('ECS is away');
  },
};
const WELL = { name: 'api-server', check: async () => undefined };

describe('/healthz', () => {
  it.each([
    { path: '/healthz', checks: [], status: 200, body: 'ok' },
    { path: '/healthz', checks: [WELL], status: 200, body: 'ok' },
    {
      path: '/healthz?verbose',
      checks: [WELL],
      status: 200,
      body: '[+]ping ok\n[+]api-server ok\nhealthz check passed\n',
    },
    {
      path: '/healthz',
      checks: [WELL, SICK],
      status: 500,
      body: '[+]ping ok\n[+]api-server ok\n[-]provider failed: reason withheld\nhealthz check failed\n',
    },
    { path: '/healthz/ping', checks: [SICK], status: 200, body: 'ok' },
    {
      path: '/healthz/provider',
      checks: [SICK],
      status: 500,
      body: '[-]provider failed: reason withheld\nhealthz check failed\n',
    },
    { path: '/healthz/nothing', checks: [], status: 404, body: '404: Page Not Found' },
  ])('$path answers $status', async ({ path, checks, status, body }) => {
    const response = await new KubeletWorld({ healthChecks: checks }).get(path);
    expect(response.status).toBe(status);
    expect(await bodyOf(response)).toBe(body);
  });

  it('tells the reason to the log', async () => {
    const world = new KubeletWorld({ healthChecks: [SICK] });
    await world.get('/healthz');
    expect(world.logger.lines).toMatchObject([
      {
        level: 'warn',
        message: 'health check failed',
        fields: { check: 'provider', error: { message: 'ECS is away' } },
      },
    ]);
  });
});
