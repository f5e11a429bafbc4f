import { describe, expect, it } from 'vitest';
import { methodsOf, parseRoute } from '../../../src/kubelet/route.ts';

const UNKNOWN = { kind: 'unknown' };

describe('route', () => {
  it.each([
    {
      path: '/containerLogs/ns/web-0/app',
      route: { kind: 'container-logs', namespace: 'ns', pod: 'web-0', container: 'app' },
    },
    {
      path: '/containerLogs/ns/web.0/app/',
      route: { kind: 'container-logs', namespace: 'ns', pod: 'web.0', container: 'app' },
    },
    {
      path: '/container%4Cogs/ns/%77eb/app',
      route: { kind: 'container-logs', namespace: 'ns', pod: 'web', container: 'app' },
    },
    { path: '/exec/ns/web/app', route: { kind: 'exec', namespace: 'ns', pod: 'web', container: 'app' } },
    {
      path: '/exec/ns/web/0a-1b/app',
      route: { kind: 'exec', namespace: 'ns', pod: 'web', uid: '0a-1b', container: 'app' },
    },
    { path: '/attach/ns/web/app', route: { kind: 'attach', namespace: 'ns', pod: 'web', container: 'app' } },
    { path: '/run/ns/web/app', route: { kind: 'run', namespace: 'ns', pod: 'web', container: 'app' } },
    { path: '/portForward/ns/web', route: { kind: 'port-forward', namespace: 'ns', pod: 'web' } },
    { path: '/portForward/ns/web/0a-1b', route: { kind: 'port-forward', namespace: 'ns', pod: 'web', uid: '0a-1b' } },
    { path: '/pods', route: { kind: 'pods' } },
    { path: '/pods/', route: { kind: 'pods' } },
    { path: '/runningpods/', route: { kind: 'running-pods' } },
    { path: '/runningpods', route: { kind: 'redirect', to: '/runningpods/' } },
    { path: '/metrics', route: { kind: 'metrics', of: 'node' } },
    { path: '/metrics/', route: { kind: 'metrics', of: 'node' } },
    { path: '/metrics/resource', route: { kind: 'metrics', of: 'resource' } },
    { path: '/metrics/cadvisor', route: { kind: 'metrics', of: 'cadvisor' } },
    { path: '/metrics/probes', route: { kind: 'metrics', of: 'probes' } },
    { path: '/configz', route: { kind: 'configz' } },
    { path: '/healthz', route: { kind: 'healthz' } },
    { path: '/healthz/', route: { kind: 'healthz' } },
    { path: '/healthz/ping', route: { kind: 'healthz', check: 'ping' } },
    { path: '/logs/messages', route: { kind: 'system-logs' } },
  ])('reads $path', ({ path, route }) => {
    expect(parseRoute(path)).toEqual(route);
  });

  it.each([
    '/',
    '',
    '//pods',
    '/pods/x',
    '/Pods',
    '/containerlogs/ns/web/app',
    '/containerLogs/ns/web',
    '/containerLogs/ns/web/app/more',
    '/containerLogs//web/app',
    '/containerLogs/ns/../app',
    '/containerLogs/ns/..%2fsecrets/app',
    '/containerLogs/ns/web%3Fwatch=true/app',
    '/containerLogs/ns/web%00/app',
    '/containerLogs/Ns/web/app',
    '/containerLogs/ns/web/APP',
    `/containerLogs/ns/web/${'a'.repeat(64)}`,
    `/containerLogs/ns/${'a'.repeat(254)}/app`,
    '/exec/ns/web',
    '/exec/ns/web/uid/app/more',
    '/portForward/ns',
    '/portForward/ns/web/uid/more',
    '/metrics/nothing',
    '/api/v1/pods',
  ])('knows no %s', (path) => {
    expect(parseRoute(path)).toEqual(UNKNOWN);
  });

  it('reads no path with a broken encoding', () => {
    expect(parseRoute('/containerLogs/ns/%zz/app')).toBeUndefined();
  });

  it.each([
    { path: '/containerLogs/ns/web/app', methods: ['GET'] },
    { path: '/exec/ns/web/app', methods: ['GET', 'POST'] },
    { path: '/attach/ns/web/app', methods: ['GET', 'POST'] },
    { path: '/portForward/ns/web', methods: ['GET', 'POST'] },
    { path: '/run/ns/web/app', methods: ['POST'] },
    { path: '/pods', methods: ['GET'] },
    { path: '/runningpods/', methods: ['GET'] },
    { path: '/healthz', methods: ['GET'] },
    { path: '/nothing', methods: undefined },
  ])('$path takes $methods', ({ path, methods }) => {
    expect(methodsOf(parseRoute(path) ?? { kind: 'unknown' })).toEqual(methods);
  });
});
