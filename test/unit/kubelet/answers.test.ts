import { describe, expect, it } from 'vitest';
import { bodyOf, KubeletWorld } from './kubelet-world.ts';

describe('answers to callers that were admitted', () => {
  it.each([
    { method: 'GET', path: '/nothing', status: 404, body: '404: Page Not Found' },
    { method: 'POST', path: '/pods', status: 405, body: '405: Method Not Allowed' },
    { method: 'POST', path: '/containerLogs/default/web/app', status: 405, body: '405: Method Not Allowed' },
    { method: 'GET', path: '/run/default/web/app', status: 405, body: '405: Method Not Allowed' },
    { method: 'DELETE', path: '/exec/default/web/app', status: 405, body: '405: Method Not Allowed' },
    { method: 'GET', path: '/%zz', status: 400, body: 'malformed percent-encoding in the path' },
    { method: 'GET', path: '/logs/', status: 405, body: 'logs endpoint is disabled.' },
    { method: 'GET', path: '/runningpods', status: 301, body: '' },
  ])('$method $path: $status', async ({ method, path, status, body }) => {
    const response = await new KubeletWorld().get(path, { method });
    expect(response.status).toBe(status);
    expect(await bodyOf(response)).toBe(body);
  });

  it('names the methods it takes and the place it sends to', async () => {
    const world = new KubeletWorld();
    expect((await world.get('/exec/default/web/app', { method: 'PUT' })).headers.allow).toBe('GET, POST');
    expect((await world.get('/runningpods')).headers.location).toBe('/runningpods/');
  });

  it.each([
    {
      path: '/exec/default/web/app',
      method: 'POST',
      message:
        'exec is not supported on node vk-a: its endpoint cannot carry upgraded connections; read what the container prints with kubectl logs, or run the command as a pod of its own',
    },
    {
      path: '/exec/default/web/app',
      method: 'GET',
      message:
        'exec is not supported on node vk-a: its endpoint cannot carry upgraded connections; read what the container prints with kubectl logs, or run the command as a pod of its own',
    },
    {
      path: '/attach/default/web/app',
      method: 'POST',
      message:
        'attach is not supported on node vk-a: its endpoint cannot carry upgraded connections; follow the output with kubectl logs -f',
    },
    {
      path: '/portForward/default/web',
      method: 'POST',
      message:
        "port-forward is not supported on node vk-a: its endpoint cannot carry upgraded connections; connect to the pod's own IP from inside its network",
    },
    {
      path: '/run/default/web/app',
      method: 'POST',
      message:
        'run is not supported on node vk-a: commands cannot be started in its containers; run the command as a pod of its own and read its output with kubectl logs',
    },
  ])('$method $path: 501 with a Status that names the remedy', async ({ path, method, message }) => {
    const response = await new KubeletWorld().get(path, { method });
    expect(response.status).toBe(501);
    expect(response.headers['content-type']).toBe('application/json');
    expect(JSON.parse(await bodyOf(response))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'NotImplemented',
      code: 501,
    });
  });
});
